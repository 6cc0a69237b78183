//! Where in a document something is, by the names that lead there.

/// What encloses a place: an object, with the key that was read last, or a list, with the place in it.
enum Around {
    Object(Option<String>),
    List(usize),
}

/// The path to where reading `text`, which is JSON, failed: `content.study.cells[0].threads`, and nothing for the whole.
// From the line and the column of the error: to track the path while reading, every type's code is compiled once more.
pub(super) fn path_of(error: &serde_json::Error, text: &str) -> String {
    let line_at = match error.line().checked_sub(2) {
        Some(before) => {
            text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').nth(before).map_or(0, |(at, _)| at + 1)
        }
        None => 0,
    };
    let read = &text.as_bytes()[..text.len().min(line_at + error.column())];
    // What opens at the last byte was refused as such.
    let read = read.strip_suffix(b"[").unwrap_or(read);
    let mut around = Vec::new();
    let mut at = 0;
    while let Some(byte) = read.get(at) {
        let from = at;
        at += 1;
        match (byte, around.last_mut()) {
            (b'"', last) => {
                while read.get(at).is_some_and(|byte| *byte != b'"') {
                    at += if read[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
                if let Some(Around::Object(key @ None)) = last {
                    *key = read.get(from..at).and_then(|key| serde_json::from_slice(key).ok());
                }
            }
            (b'{', _) => around.push(Around::Object(None)),
            (b'[', _) => around.push(Around::List(0)),
            (b'}' | b']', _) => drop(around.pop()),
            (b',', Some(Around::Object(key))) => *key = None,
            (b',', Some(Around::List(index))) => *index += 1,
            _ => {}
        }
    }
    let mut path = String::new();
    for place in around {
        match place {
            Around::Object(Some(key)) if path.is_empty() => path = key,
            Around::Object(Some(key)) => path.extend([".", &key]),
            Around::Object(None) => {}
            Around::List(index) => path.push_str(&format!("[{index}]")),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::study::StudyRecord;
    use serde_json::{Value, json};

    const FIXTURE: &str = include_str!("../../tests/fixtures/study.json");

    /// The path that is told when `change` was made to a document.
    fn told(change: impl FnOnce(&mut Value)) -> String {
        let mut root: Value = serde_json::from_str(FIXTURE).unwrap();
        change(&mut root);
        let mut paths = [root.to_string(), format!("{root:#}").replace('\n', "\r\n")].map(|text| {
            let error = serde_json::from_str::<StudyRecord>(&text).unwrap_err();
            path_of(&error, &text)
        });
        assert_eq!(paths[0], paths[1]);
        std::mem::take(&mut paths[0])
    }

    #[test]
    fn the_value_that_was_refused_is_named() {
        let cells = "content.study.cells";
        for wrong in [json!(true), json!("\"],{\\"), json!([]), json!([7]), json!({}), json!(null), json!(-1)] {
            assert_eq!(
                told(|root| root["content"]["study"]["cells"][1]["threads"] = wrong.clone()),
                format!("{cells}[1].threads")
            );
            let wrong = if wrong.is_array() { json!("none") } else { wrong };
            assert_eq!(told(|root| root["content"]["study"]["cells"] = wrong), cells);
        }
        for wrong in [json!(true), json!([]), json!([[7]])] {
            assert_eq!(told(|root| root["machine"]["tsc"]["cpuid"] = json!([wrong])), "machine.tsc.cpuid[0]");
        }
        let removed =
            told(|root| drop(root["content"]["study"]["cells"][1].as_object_mut().unwrap().remove("threads")));
        assert_eq!(removed, format!("{cells}[1]"));
        assert_eq!(told(|root| drop(root.as_object_mut().unwrap().remove("command"))), "");
    }

    #[test]
    fn keys_are_read_as_json_reads_them() {
        #[derive(serde::Deserialize)]
        #[expect(dead_code, reason = "it is never read")]
        struct Named(std::collections::BTreeMap<String, Vec<u8>>);
        for (text, expected) in [
            (r#"{"a\\": [1], "\u0062\"": [1, "x"]}"#, "b\"[1]"),
            (r#"{"a,]": [1, [2]]}"#, "a,][1]"),
            (r#"{"a": [1], "b": "[{,", "c": []}"#, "b"),
            ("\n\n\r\n{\n\"ä\":\n\n[300]}", "ä[0]"),
            ("7", ""),
        ] {
            let error = serde_json::from_str::<Named>(text).err().unwrap();
            assert_eq!(path_of(&error, text), expected, "{text}");
        }
    }
}
