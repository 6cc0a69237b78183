use serde_json::{Map, Value};

/// The documents' schema, by which a document is changed wherever the schema allows it.
pub(crate) struct Schema {
    root: Value,
}

/// What the schema says of a value.
pub(crate) struct Allowed {
    pub(crate) is_nullable: bool,
    /// Whether it may be any text.
    pub(crate) is_free_text: bool,
}

impl Schema {
    pub(crate) fn new(root: Value) -> Self {
        Self { root }
    }

    /// Calls `change` for every value of the document, from the outside in.
    pub(crate) fn change(&self, document: &mut Value, change: &mut dyn FnMut(&Allowed, &mut Value)) {
        self.visit(&self.root, false, document, change);
    }

    fn visit(&self, of: &Value, is_nullable: bool, value: &mut Value, change: &mut dyn FnMut(&Allowed, &mut Value)) {
        let of = self.resolved(of);
        let is_nullable = is_nullable || is_type(of, "null");
        if let Some(alternatives) = alternatives(of) {
            let is_nullable = is_nullable || alternatives.iter().any(|one| is_type(self.resolved(one), "null"));
            if let Some(fitting) = alternatives.iter().find(|one| !value.is_null() && self.fits(one, value)) {
                self.visit(fitting, is_nullable, value, change);
            }
            return;
        }
        let is_free_text = is_type(of, "string") && of.get("const").is_none() && of.get("enum").is_none();
        change(&Allowed { is_nullable, is_free_text }, value);
        match value {
            Value::Object(fields) => {
                for (name, field) in fields {
                    if let Some(inner) = property(of, name) {
                        self.visit(inner, false, field, change);
                    }
                }
            }
            Value::Array(items) => {
                for (place, item) in items.iter_mut().enumerate() {
                    if let Some(inner) = of.pointer(&format!("/prefixItems/{place}")).or_else(|| of.get("items")) {
                        self.visit(inner, false, item, change);
                    }
                }
            }
            _ => {}
        }
    }

    fn resolved<'a>(&'a self, of: &'a Value) -> &'a Value {
        let named =
            of.get("$ref").and_then(Value::as_str).and_then(|path| self.root.pointer(path.trim_start_matches('#')));
        named.map_or(of, |named| self.resolved(named))
    }

    /// Whether a value is of this kind, as far as alternatives differ: in type, in fixed words, and in the names of fields.
    fn fits(&self, of: &Value, value: &Value) -> bool {
        let of = self.resolved(of);
        if let Some(alternatives) = alternatives(of) {
            return alternatives.iter().any(|one| self.fits(one, value));
        }
        let is_fixed = of.get("const").is_none_or(|fixed| fixed == value);
        let is_listed = of.get("enum").and_then(Value::as_array).is_none_or(|words| words.contains(value));
        is_fixed
            && is_listed
            && is_type(of, kind(value))
            && value.as_object().is_none_or(|fields| self.has_fields(of, fields))
    }

    fn has_fields(&self, of: &Value, fields: &Map<String, Value>) -> bool {
        let required = of.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let is_open = of.get("additionalProperties") != Some(&Value::Bool(false));
        let is_word = |inner: &Value| self.resolved(inner).get("const").is_some();
        required.into_iter().all(|name| {
            let inner = property(of, name);
            fields.get(name).is_some_and(|value| inner.is_none_or(|inner| !is_word(inner) || self.fits(inner, value)))
        }) && (is_open || fields.keys().all(|name| property(of, name).is_some()))
    }
}

fn alternatives(of: &Value) -> Option<&Vec<Value>> {
    of.get("anyOf").or_else(|| of.get("oneOf")).and_then(Value::as_array)
}

fn property<'a>(of: &'a Value, name: &str) -> Option<&'a Value> {
    let named = of.get("properties").and_then(|all| all.get(name));
    named.or_else(|| of.get("additionalProperties").filter(|inner| inner.is_object()))
}

/// Whether a kind of value is among those allowed; a number may be an integer.
fn is_type(of: &Value, kind: &str) -> bool {
    let is = |one: &Value| one == kind || (kind == "integer" && one == "number");
    match of.get("type") {
        Some(Value::Array(all)) => all.iter().any(is),
        Some(one) => is(one),
        // An enumeration of words has none.
        None => kind != "null",
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_may_be_null_or_any_text_is_found_through_references_and_alternatives() {
        let schema = Schema::new(json!({
            "$ref": "#/$defs/Top",
            "$defs": {
                "Top": {"type": "object", "properties": {
                    "name": {"type": "string"},
                    "kind": {"enum": ["a", "b"]},
                    "count": {"type": ["integer", "null"]},
                    "inner": {"anyOf": [{"$ref": "#/$defs/One"}, {"$ref": "#/$defs/Other"}, {"type": "null"}]},
                }},
                "One": {"type": "object", "required": ["is"], "properties": {"is": {"const": "one"}, "why": {"type": "number"}}},
                "Other": {"type": "object", "required": ["is"], "properties": {
                    "is": {"const": "other"}, "why": {"type": ["string", "null"]}}},
            },
        }));
        let mut document = json!({"name": "x", "kind": "a", "count": 3, "inner": {"is": "other", "why": "y"}});
        let mut texts = Vec::new();
        schema.change(&mut document, &mut |allowed, value| {
            texts.extend(value.as_str().filter(|_| allowed.is_free_text).map(str::to_owned));
            if allowed.is_nullable && !value.is_object() {
                *value = Value::Null;
            }
        });
        texts.sort();
        assert_eq!(texts, ["x", "y"]);
        assert_eq!(document, json!({"name": "x", "kind": "a", "count": null, "inner": {"is": "other", "why": null}}));
    }
}
