use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chromiumoxide::Page;
use chromiumoxide::cdp::browser_protocol::emulation::{
    MediaFeature, SetDeviceMetricsOverrideParams, SetEmulatedMediaParams, SetScriptExecutionDisabledParams,
};
use chromiumoxide::cdp::browser_protocol::input::{
    DispatchKeyEventParams, DispatchKeyEventType, DispatchMouseEventParams, DispatchMouseEventType,
};
use chromiumoxide::cdp::browser_protocol::{log, network};
use chromiumoxide::cdp::js_protocol::runtime;
use chromiumoxide::listeners::EventStream;
use chromiumoxide::page::ScreenshotParams;
use futures::{FutureExt, StreamExt};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Result;

const LOOK: &str = include_str!("look.js");
/// Height of the window, in pixels.
const HEIGHT: u32 = 900;
/// Events by which a page tells what it must not do.
const TELLING: [&str; 4] =
    ["Network.requestWillBeSent", "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"];

/// A page that is open.
pub struct Tab {
    page: Page,
    requests: EventStream<network::EventRequestWillBeSent>,
    console: EventStream<runtime::EventConsoleApiCalled>,
    exceptions: EventStream<runtime::EventExceptionThrown>,
    log: EventStream<log::EventEntryAdded>,
    unread: Arc<Mutex<Vec<String>>>,
}

/// What a page is shown on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Media {
    Light,
    Dark,
    /// Paper, for a reader who prefers dark screens.
    Paper,
}

/// A line of a graphical table.
#[derive(Debug, Deserialize)]
pub struct Row {
    pub name: String,
    pub shown: String,
    pub value: String,
    pub marks: Vec<Place>,
}

/// Where a mark lies: per cent of the width, pixels from the top.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Place {
    pub x: f64,
    pub y: f64,
    pub is_hollow: bool,
}

/// A label of an axis.
#[derive(Debug, Deserialize)]
pub struct Tick {
    pub x: f64,
    pub y: f64,
    pub text: String,
    pub is_of_y: bool,
}

/// A chart of two axes.
#[derive(Debug, Deserialize)]
pub struct Plot {
    pub title: String,
    pub points: Vec<Place>,
    pub ticks: Vec<Tick>,
}

/// Something that has more to say where a pointer rests.
#[derive(Debug, Deserialize)]
pub struct Telling {
    pub x: f64,
    pub y: f64,
    pub text: String,
    pub name: Option<String>,
}

/// The box with values under the pointer.
#[derive(Debug, Deserialize)]
pub struct Tip {
    pub is_hidden: bool,
    pub text: String,
    pub is_inside: bool,
}

/// A column of a table that can be sorted.
#[derive(Debug, Deserialize)]
pub struct Column {
    pub texts: Vec<String>,
    /// What it is sorted by, where that is known.
    pub values: Vec<f64>,
    pub sorted: Option<String>,
    /// How many rows there are, in the words of the page.
    pub told: String,
}

impl Tab {
    /// An empty page whose every word is heard from now on.
    pub(crate) async fn listening(page: Page, unread: Arc<Mutex<Vec<String>>>) -> Result<Self> {
        let tab = Self {
            requests: page.event_listener().await?,
            console: page.event_listener().await?,
            exceptions: page.event_listener().await?,
            log: page.event_listener().await?,
            page,
            unread,
        };
        tab.page.execute(network::EnableParams::default()).await?;
        tab.page.execute(runtime::EnableParams::default()).await?;
        tab.page.execute(log::EnableParams::default()).await?;
        Ok(tab)
    }

    pub(crate) async fn forbid_scripts(&self) -> Result<()> {
        self.page.execute(SetScriptExecutionDisabledParams::new(true)).await?;
        Ok(())
    }

    pub(crate) async fn go_to(&self, page: &Path) -> Result<()> {
        self.page.goto(format!("file://{}", page.display())).await?;
        Ok(())
    }

    /// The answer of a function in `look.js`.
    pub async fn ask<T: DeserializeOwned>(&self, call: &str) -> Result<T> {
        let question = runtime::EvaluateParams::builder()
            .expression(format!("{LOOK}.{call}"))
            .return_by_value(true)
            .await_promise(true)
            .build()?;
        let answer = self.page.execute(question).await?.result;
        if let Some(thrown) = answer.exception_details {
            return Err(format!("{call}: {thrown:?}").into());
        }
        Ok(serde_json::from_value(answer.result.value.unwrap_or_default())?)
    }

    /// What it said or asked for that it must not: errors, exceptions, requests other than for `own`.
    pub async fn misdeeds(&mut self, own: &Path) -> Result<Vec<String>> {
        // What follows from loading it comes later.
        tokio::time::sleep(Duration::from_millis(50)).await;
        let _: Option<String> = self.ask("focused()").await?;
        let own = format!("file://{}", own.display());
        let mut all = Vec::new();
        while let Some(Some(event)) = self.requests.next().now_or_never() {
            if event.request.url != own {
                all.push(format!("asked for {}", event.request.url));
            }
        }
        while let Some(Some(event)) = self.console.next().now_or_never() {
            all.push(format!("console: {:?}", event.args.iter().map(|said| &said.value).collect::<Vec<_>>()));
        }
        while let Some(Some(event)) = self.exceptions.next().now_or_never() {
            all.push(format!("exception: {}", event.exception_details.text));
        }
        while let Some(Some(event)) = self.log.next().now_or_never() {
            all.push(format!("log: {}", event.entry.text));
        }
        let mut unread = self.unread.lock().map_err(|error| error.to_string())?;
        all.extend(unread.drain(..).filter(|message| TELLING.iter().any(|event| message.contains(event))));
        Ok(all)
    }

    pub async fn set_width(&self, width: u32) -> Result<()> {
        let size = SetDeviceMetricsOverrideParams::new(i64::from(width), i64::from(HEIGHT), 1.0, false);
        self.page.execute(size).await?;
        Ok(())
    }

    pub async fn set_media(&self, media: Media) -> Result<()> {
        let (on, scheme) = match media {
            Media::Light => ("screen", "light"),
            Media::Dark => ("screen", "dark"),
            Media::Paper => ("print", "dark"),
        };
        let feature = MediaFeature::new("prefers-color-scheme", scheme);
        self.page.execute(SetEmulatedMediaParams::builder().media(on).feature(feature).build()).await?;
        Ok(())
    }

    pub async fn point_at(&self, x: f64, y: f64) -> Result<()> {
        self.page.execute(DispatchMouseEventParams::new(DispatchMouseEventType::MouseMoved, x, y)).await?;
        Ok(())
    }

    /// Presses and releases a key, by its name in the DOM and its code on Windows.
    pub async fn press(&self, key: &str, code: i64) -> Result<()> {
        for kind in [DispatchKeyEventType::RawKeyDown, DispatchKeyEventType::KeyUp] {
            let event =
                DispatchKeyEventParams::builder().r#type(kind).key(key).code(key).windows_virtual_key_code(code);
            self.page.execute(event.build()?).await?;
        }
        Ok(())
    }

    pub async fn picture(&self) -> Result<Vec<u8>> {
        Ok(self.page.screenshot(ScreenshotParams::builder().full_page(true).build()).await?)
    }

    pub async fn close(self) -> Result<()> {
        self.page.close().await?;
        Ok(())
    }
}
