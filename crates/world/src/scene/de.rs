//! Deserialises a [`TreeNode`] tree into the scene's structs, with errors in the words of
//! the scene file and at the right place.

mod error;

use super::diagnostic::Diagnostic;
use super::tree::{Span, TreeKey, TreeNode, TreeValue};
pub use error::DeserializeError;
use error::{plain_found, suggestion};
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};

/// Reads any of the scene's types out of a tree.
pub fn from_node<T: serde::de::DeserializeOwned>(node: &TreeNode) -> Result<T, Diagnostic> {
    T::deserialize(node).map_err(DeserializeError::into_diagnostic)
}

impl<'de> Deserializer<'de> for &TreeNode {
    type Error = DeserializeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        let result = match &self.value {
            TreeValue::Null => visitor.visit_unit(),
            TreeValue::Bool(value) => visitor.visit_bool(*value),
            TreeValue::Integer(value) => match u64::try_from(*value) {
                Ok(value) => visitor.visit_u64(value),
                Err(_) => visitor.visit_i64(*value),
            },
            TreeValue::Float(value) => visitor.visit_f64(*value),
            TreeValue::String(text) => visitor.visit_str(text),
            TreeValue::Array(elements) => visitor.visit_seq(Elements(elements.iter())),
            TreeValue::Table(entries) => visitor.visit_map(Entries {
                rest: entries.iter(),
                value: None,
            }),
        };
        result.map_err(|error| error.or_at(self.span))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        match self.value {
            TreeValue::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        // Checked here because serde ignores elements beyond the length of an array.
        if let TreeValue::Array(elements) = &self.value
            && elements.len() != length
        {
            let found = elements.len();
            return Err(DeserializeError::new(
                Diagnostic::new(format!("expected a list of {length}, found {found}"))
                    .span(self.span)
                    .label(format!("should have {length} elements")),
            ));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        // Serde would fill a struct from a list by position; scenes must name their keys.
        match self.value {
            TreeValue::Array(_) => {
                Err(DeserializeError::invalid_type(Unexpected::Seq, &visitor).or_at(self.span))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        visitor
            .visit_newtype_struct(self)
            .map_err(|error| error.or_at(self.span))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        let choices = || suggestion("", variants, "the choices are");
        let result = match &self.value {
            TreeValue::String(text) => visitor.visit_enum(Choice {
                name: text,
                span: self.span,
                content: None,
            }),
            TreeValue::Table(entries) => match entries.as_slice() {
                [(key, content)] => visitor.visit_enum(Choice {
                    name: &key.name,
                    span: key.span,
                    content: Some(content),
                }),
                [] => Err(DeserializeError::new(
                    Diagnostic::new("expected one choice, found an empty table").help(choices()),
                )),
                [_, (second, _), ..] => Err(DeserializeError::new(
                    Diagnostic::new(format!(
                        "expected exactly one choice, found {}",
                        entries.len()
                    ))
                    .help(choices())
                    .span(second.span),
                )),
            },
            _ => Err(DeserializeError::new(
                Diagnostic::new(format!(
                    "expected a choice, found {}",
                    plain_found(self.unexpected())
                ))
                .help(choices()),
            )),
        };
        result.map_err(|error| error.or_at(self.span))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string
        bytes byte_buf unit unit_struct seq tuple_struct map identifier
    }
}

impl TreeNode {
    fn unexpected(&self) -> Unexpected<'_> {
        match &self.value {
            TreeValue::Null => Unexpected::Unit,
            TreeValue::Bool(value) => Unexpected::Bool(*value),
            TreeValue::Integer(value) => Unexpected::Signed(*value),
            TreeValue::Float(value) => Unexpected::Float(*value),
            TreeValue::String(text) => Unexpected::Str(text),
            TreeValue::Array(_) => Unexpected::Seq,
            TreeValue::Table(_) => Unexpected::Map,
        }
    }
}

struct Elements<'a>(std::slice::Iter<'a, TreeNode>);

impl<'de> SeqAccess<'de> for Elements<'_> {
    type Error = DeserializeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DeserializeError> {
        match self.0.next() {
            Some(node) => seed
                .deserialize(node)
                .map(Some)
                .map_err(|error| error.or_at(node.span)),
            None => Ok(None),
        }
    }

    // No size hint: serde would reserve memory for it.
}

struct Entries<'a> {
    rest: std::slice::Iter<'a, (TreeKey, TreeNode)>,
    value: Option<&'a TreeNode>,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = DeserializeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, DeserializeError> {
        match self.rest.next() {
            Some((key, value)) => {
                self.value = Some(value);
                seed.deserialize(StrDeserializer::new(&key.name))
                    .map(Some)
                    .map_err(|error: DeserializeError| error.or_at(key.span))
            }
            None => Ok(None),
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<T::Value, DeserializeError> {
        match self.value.take() {
            Some(node) => seed
                .deserialize(node)
                .map_err(|error| error.or_at(node.span)),
            None => Err(DeserializeError::custom("a value was read before its key")),
        }
    }
}

/// An enum's variant: `"rk4"`, or `sphere = { … }`.
struct Choice<'a> {
    name: &'a str,
    span: Span,
    content: Option<&'a TreeNode>,
}

impl<'de, 'a> EnumAccess<'de> for Choice<'a> {
    type Error = DeserializeError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self), DeserializeError> {
        let variant = seed
            .deserialize(StrDeserializer::new(self.name))
            .map_err(|error: DeserializeError| error.or_at(self.span))?;
        Ok((variant, self))
    }
}

impl Choice<'_> {
    fn content(&self) -> Result<&TreeNode, DeserializeError> {
        self.content.ok_or_else(|| {
            let name = self.name;
            DeserializeError::new(
                Diagnostic::new(format!("`{name}` needs a table of values"))
                    .help(format!("write it as a table: {{ {name} = {{ … }} }}"))
                    .span(self.span),
            )
        })
    }
}

impl<'de> VariantAccess<'de> for Choice<'_> {
    type Error = DeserializeError;

    fn unit_variant(self) -> Result<(), DeserializeError> {
        match self.content {
            None => Ok(()),
            Some(_) => Err(DeserializeError::new(
                Diagnostic::new(format!("`{}` takes no values", self.name))
                    .help(format!("write \"{}\" alone", self.name))
                    .span(self.span),
            )),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, DeserializeError> {
        let node = self.content()?;
        seed.deserialize(node)
            .map_err(|error| error.or_at(node.span))
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        self.content()?.deserialize_tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        self.content()?.deserialize_any(visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::{SceneFile, ShapeSpec};
    use super::super::parse_toml;
    use super::*;

    fn read(text: &str) -> Result<SceneFile, Diagnostic> {
        from_node(&parse_toml::parse(text, 0).unwrap())
    }

    /// The message, the text that it points to, and the help.
    fn diagnostic(text: &str) -> (String, &str, String) {
        let diagnostic = read(text).unwrap_err();
        let span = diagnostic.span.unwrap();
        (
            diagnostic.message,
            &text[span.start..span.end],
            diagnostic.help.unwrap_or_default(),
        )
    }

    #[test]
    fn whole_numbers_are_numbers() {
        let scene = read("gravity = [0, 0, -1]\n[time]\nseconds = 3").unwrap();
        assert_eq!(scene.gravity, Some([0.0, 0.0, -1.0]));
        assert_eq!(scene.time.seconds, 3.0);
    }

    #[test]
    fn shapes_are_read_by_their_tag() {
        let scene = read("[[body]]\nshape.sphere.radius = 2").unwrap();
        let Some(ShapeSpec::Sphere(sphere)) = &scene.body[0].shape else {
            panic!("not a sphere: {scene:?}");
        };
        assert_eq!(sphere.radius, 2.0);
    }

    #[test]
    fn an_unknown_key_is_shown_with_its_neighbour() {
        let (message, place, help) = diagnostic("[[body]]\nname = 'a'\nmasss = 3");
        assert_eq!(message, "unknown key `masss`");
        assert_eq!(place, "masss");
        assert!(help.starts_with("did you mean `mass`?"), "{help}");
    }

    #[test]
    fn errors_inside_a_choice_keep_their_place() {
        let (message, place, _) =
            diagnostic("[[body]]\nshape = { box = { half_extents = [1, '2', 3] } }");
        assert_eq!(place, "'2'");
        assert_eq!(message, "expected a number, found the string \"2\"");
        let (_, place, help) = diagnostic("[[body]]\nshape.sphere = { raduis = 1 }");
        assert_eq!(place, "raduis");
        assert!(help.contains("`radius`"));
        let (message, _, _) = diagnostic("[[body]]\nshape.sphere = { }");
        assert_eq!(message, "the key `radius` is missing");
        let (_, place, help) = diagnostic("[[body]]\nshape.sphre = { radius = 1 }");
        assert_eq!(place, "sphre");
        assert!(help.contains("did you mean `sphere`?"));
        let (_, place, _) = diagnostic("[[body]]\nshape = { sphere = { radius = 1 }, box = 2 }");
        assert_eq!(place, "box");
        assert_eq!(diagnostic("[[body]]\nshape = 'sphere'").1, "'sphere'");
        assert_eq!(diagnostic("[[body]]\nshape = 3").1, "3");
        assert_eq!(diagnostic("up = { y = 1 }").1, "y");
    }

    #[test]
    fn wrong_types_are_named_as_in_scene_files() {
        for (text, message) in [
            ("gravity = [0, 1]", "expected a list of 3, found 2"),
            ("gravity = [0, 1, 2, 3]", "expected a list of 3, found 4"),
            (
                "gravity = 9.81",
                "expected a list of 3, found the number 9.81",
            ),
            (
                "title = 3",
                "expected a string in quotes, found the number 3",
            ),
            (
                "seed = -3",
                "expected a whole number, 0 or greater, found the number -3",
            ),
            (
                "seed = 1.0",
                "expected a whole number, 0 or greater, found the number 1.0",
            ),
            ("body = 3", "expected a list, found the number 3"),
            ("[body]", "expected a list, found a table"),
            ("time = 3", "expected a table, found the number 3"),
            ("time = [0.1, 3]", "expected a table, found a list"),
            (
                "contact.sticky = 'yes'",
                "expected true or false, found the string \"yes\"",
            ),
            (
                "time.integrator = 'rk5'",
                "`rk5` is not one of the choices here",
            ),
        ] {
            assert_eq!(diagnostic(text).0, message);
        }
    }
}
