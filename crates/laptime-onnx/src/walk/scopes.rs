//! Where in the model a node was, by what its exporter left.
//!
//! `PyTorch`'s exporter notes scopes and classes at each node; its old one, and TensorFlow's, put
//! the path into the node's name: `/layer1/layer1.0/conv1/Conv`.

use crate::model::Node;

/// The texts of a Python list as it is printed: `['', 'layer1', 'layer1.0']`.
pub fn listed(text: &str) -> Vec<String> {
    let mut items = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['\'', '"']) {
        let quote = &rest[start..=start];
        let inside = &rest[start + 1..];
        let Some(end) = inside.find(quote) else { break };
        items.push(inside[..end].to_owned());
        rest = &inside[end + 1..];
    }
    items
}

/// The dotted path of the module around a node, and its class where that is noted.
pub fn module(node: &Node) -> Option<(String, Option<&str>)> {
    if let [scopes @ .., _] = &node.scopes[..] {
        let path = scopes.last().cloned().unwrap_or_default();
        let class = node.classes.get(scopes.len().wrapping_sub(1));
        let class = class.and_then(|class| class.rsplit('.').next());
        return Some((path, class));
    }
    let (scopes, _) = node.name.rsplit_once('/')?;
    let mut path = String::new();
    let mut last = "";
    for part in scopes.split('/').filter(|part| !part.is_empty()) {
        // A child of a list or a sequence repeats its parent's name: `/layer1/layer1.0`.
        let own = part
            .strip_prefix(last)
            .and_then(|own| own.strip_prefix('.'))
            .filter(|_| !last.is_empty())
            .unwrap_or(part);
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(own);
        last = part;
    }
    Some((path, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Node {
        Node {
            name: name.into(),
            ..Node::default()
        }
    }

    #[test]
    fn a_name_with_slashes_is_a_path() {
        let node = named("/layer1/layer1.0/conv1/Conv");
        assert_eq!(module(&node), Some(("layer1.0.conv1".into(), None)));
        assert_eq!(module(&named("/Flatten")), Some((String::new(), None)));
        assert_eq!(module(&named("Conv_17")), None);
    }

    #[test]
    fn noted_scopes_come_before_the_name() {
        let node = Node {
            scopes: listed("['', 'layer1', 'layer1.0.bn1', 'getitem']"),
            classes: listed("['a.Net', 'b.Block', 'c.BatchNorm2d', 'aten.x']"),
            ..named("node_Conv_1")
        };
        let expected = ("layer1.0.bn1".to_owned(), Some("BatchNorm2d"));
        assert_eq!(module(&node), Some(expected));
    }

    #[test]
    fn a_list_that_is_cut_off_ends_where_it_does() {
        assert_eq!(listed("['a', \"b'c\", 'd"), ["a", "b'c"]);
        assert!(listed("").is_empty());
    }
}
