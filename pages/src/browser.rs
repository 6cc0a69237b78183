use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, Mutex};

use chromiumoxide::browser::{Browser as Chromium, BrowserConfig};
use chromiumoxide::error::CdpError;
use futures::StreamExt;
use tempfile::TempDir;
use tokio::task::JoinHandle;

use crate::Result;
use crate::tab::Tab;

/// Keeps a browser from asking anything of anyone by itself.
const QUIET: [&str; 4] = ["disable-gpu", "disable-quic", "disable-component-update", "disable-background-networking"];

/// A Chromium of its own, with an empty profile.
pub struct Browser {
    chromium: Chromium,
    events: JoinHandle<()>,
    /// Messages that could not be understood: a fault may be among them.
    unread: Arc<Mutex<Vec<String>>>,
    _profile: TempDir,
}

impl Browser {
    pub async fn start() -> Result<Self> {
        let profile = tempfile::tempdir()?;
        let config = BrowserConfig::builder().user_data_dir(profile.path()).args(QUIET).surface_invalid_messages();
        // Chromium refuses to start as root within its sandbox.
        let is_root = std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
        let config = if is_root { config.no_sandbox() } else { config };
        let (chromium, mut handler) = Chromium::launch(config.build()?).await?;
        let unread = Arc::new(Mutex::new(Vec::new()));
        let garbled = Arc::clone(&unread);
        let events = tokio::spawn(async move {
            while let Some(event) = handler.next().await {
                if let Err(CdpError::InvalidMessage(message, _)) = event
                    && let Ok(mut all) = garbled.lock()
                {
                    all.push(message);
                }
            }
        });
        Ok(Self { chromium, events, unread, _profile: profile })
    }

    /// A page in a tab of its own.
    pub async fn open(&self, page: &Path) -> Result<Tab> {
        let tab = self.blank().await?;
        tab.go_to(page).await?;
        Ok(tab)
    }

    /// The same where nothing of the page's script runs.
    pub async fn open_without_script(&self, page: &Path) -> Result<Tab> {
        let tab = self.blank().await?;
        tab.forbid_scripts().await?;
        tab.go_to(page).await?;
        Ok(tab)
    }

    async fn blank(&self) -> Result<Tab> {
        Tab::listening(self.chromium.new_page("about:blank").await?, Arc::clone(&self.unread)).await
    }

    pub async fn close(mut self) -> Result<()> {
        self.chromium.close().await?;
        self.chromium.wait().await?;
        self.events.abort();
        Ok(())
    }
}
