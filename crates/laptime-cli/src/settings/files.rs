//! The two configuration files: found, parsed and checked key by key.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::{Origin, Setting};

/// Keys that mean something.
const KNOWN: [&str; 6] = [
    "run.phases",
    "run.modules",
    "run.device",
    "run.streams",
    "report.format",
    "report.sort",
];

/// Why a configuration file could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The system refused to read it.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The file is not TOML.
    #[error("{}: {message}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What is wrong and where.
        message: String,
    },
    /// A key that means nothing.
    #[error("{}: unknown key `{key}`; known are {}", path.display(), KNOWN.join(", "))]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// The key, with its table.
        key: String,
    },
    /// A value that its key does not take.
    #[error("{}: `{key}` is {found}, expected {expected}", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// The key, with its table.
        key: String,
        /// What stands there.
        found: String,
        /// What may stand there.
        expected: String,
    },
}

/// The files that apply, the stronger first.
#[derive(Debug, Default)]
pub struct Files(Vec<(PathBuf, Table)>);

impl Files {
    /// The nearest `laptime.toml` and the nearest pyproject.toml with a `[tool.laptime]`, from
    /// `folder` upwards.
    pub fn nearest(folder: &Path) -> Result<Self, SettingsError> {
        let mut files = Vec::new();
        files.extend(nearest(folder, "laptime.toml", "", Some)?);
        let project = nearest(folder, "pyproject.toml", "tool.laptime", |mut table| {
            let Some(Value::Table(mut tool)) = table.remove("tool") else {
                return None;
            };
            match tool.remove("laptime") {
                Some(Value::Table(own)) => Some(own),
                _ => None,
            }
        })?;
        files.extend(project);
        for (path, table) in &files {
            check(path, table)?;
        }
        Ok(Self(files))
    }

    /// A yes or no.
    pub fn flag(&self, key: &'static str, default: bool) -> Result<Setting<bool>, SettingsError> {
        self.get(key, default, "true or false", Value::as_bool)
    }

    /// One of several names.
    pub fn choice<T: Copy + Default>(
        &self,
        key: &'static str,
        names: &[(&'static str, T)],
    ) -> Result<Setting<T>, SettingsError> {
        let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        self.get(key, T::default(), &known.join(", "), |value| {
            let typed = value.as_str()?;
            let found = names.iter().find(|(name, _)| *name == typed);
            found.map(|(_, value)| *value)
        })
    }

    fn get<T>(
        &self,
        key: &str,
        default: T,
        expected: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<Setting<T>, SettingsError> {
        let (table, name) = key.split_once('.').unwrap_or(("", key));
        for (path, root) in &self.0 {
            let Some(found) = root.get(table).and_then(|table| table.get(name)) else {
                continue;
            };
            let value = read(found).ok_or_else(|| SettingsError::Value {
                path: path.clone(),
                key: key.to_owned(),
                found: found.as_str().map_or_else(
                    || format!("a {}", found.type_str()),
                    |text| format!("{text:?}"),
                ),
                expected: expected.to_owned(),
            })?;
            return Ok(Setting {
                value,
                origin: Origin::File(path.clone()),
            });
        }
        Ok(Setting {
            value: default,
            origin: Origin::Default,
        })
    }
}

/// The nearest file called `name` that mentions `mark` and in which `own` finds something.
fn nearest(
    folder: &Path,
    name: &str,
    mark: &str,
    own: impl Fn(Table) -> Option<Table>,
) -> Result<Option<(PathBuf, Table)>, SettingsError> {
    for above in folder.ancestors() {
        let path = above.join(name);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            // Folders above may be somebody else's.
            Err(_) if above != folder => continue,
            Err(source) => return Err(SettingsError::Read { path, source }),
        };
        if !text.contains(mark) {
            continue;
        }
        let table = text.parse().map_err(|error: toml::de::Error| {
            let line = error
                .span()
                .map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            SettingsError::Syntax {
                path: path.clone(),
                message: format!("line {line}: {}", error.message()),
            }
        })?;
        if let Some(table) = own(table) {
            return Ok(Some((path, table)));
        }
    }
    Ok(None)
}

fn check(path: &Path, root: &Table) -> Result<(), SettingsError> {
    for (table, value) in root {
        let names: Vec<String> = match value {
            Value::Table(inner) => inner.keys().map(|name| format!("{table}.{name}")).collect(),
            _ => vec![table.clone()],
        };
        if let Some(key) = names
            .into_iter()
            .find(|name| !KNOWN.contains(&name.as_str()))
        {
            return Err(SettingsError::UnknownKey {
                path: path.to_owned(),
                key,
            });
        }
    }
    Ok(())
}
