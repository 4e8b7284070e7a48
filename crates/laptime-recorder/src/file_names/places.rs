//! What files of functions are called in a recording: relative to where they belong, never by whole paths,
//! which tell the name of a user and where a machine keeps its files.
//!
//! | a file | is called |
//! |---|---|
//! | of an installed package | `site-packages/torch/nn/modules/linear.py` |
//! | of Python's own library | `lib/python3.11/json/encoder.py` |
//! | that isn't one | `<string>`, `<frozen importlib._bootstrap>` |
//! | of the program | `train.py`, `data/images.py` |
//!
//! Policy without files: it is told folders and answers with names.

/// Folders with such a name hold installed packages.
const INSTALLED: [&str; 2] = ["/site-packages/", "/dist-packages/"];
/// What names of files that are not the program's begin with.
const OTHERS: [&str; 2] = ["site-packages/", "lib/python"];

/// Where a program's files are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// Folders of Python's own library, and what they are called: `lib/python3.11`.
    pub library: Vec<String>,
    /// See `library`.
    pub library_name: String,
    /// Folders of installed packages whose names don't tell.
    pub installed: Vec<String>,
    /// The package that runs as the program (`-m pkg`), without what it is part of: its files are the program's own
    /// even where it is installed.
    pub package: Option<String>,
    /// Folders that the program's files are named relative to; the first one that holds a file counts.
    pub own: Vec<String>,
    /// Where imports look: after `own`, the longest one that holds a file counts.
    pub search: Vec<String>,
    /// The folder that files without one are relative to.
    pub working: Option<String>,
    /// The user's folder: no name may tell what it is called.
    pub home: Option<String>,
}

/// A file's name, and how it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileName {
    /// What it is called in a recording.
    pub name: String,
    /// Whether another search path would change nothing.
    pub is_settled: bool,
}

impl Places {
    /// What a file is called in a recording.
    ///
    /// ```
    /// use laptime_recorder::file_names::Places;
    /// let places = Places { own: vec!["/home/me/project".to_owned()], ..Places::default() };
    /// assert_eq!(places.name("/home/me/project/data/images.py").name, "data/images.py");
    /// assert_eq!(places.name("/venv/lib/python3.11/site-packages/six.py").name, "site-packages/six.py");
    /// assert_eq!(places.name("/elsewhere/of/mine.py").name, "of/mine.py");
    /// ```
    pub fn name(&self, file: &str) -> FileName {
        let settled = |name: String| FileName {
            name,
            is_settled: true,
        };
        if file.is_empty() || file.starts_with('<') {
            return settled(without_path(file));
        }
        let file = match (&self.working, file.starts_with('/')) {
            (Some(working), false) => plain(&format!("{working}/{file}")),
            _ => plain(file),
        };
        if let Some(path) = self.inside_installed(&file) {
            return settled(if self.is_of_package(path) {
                own_name(path)
            } else {
                format!("site-packages/{path}")
            });
        }
        if let Some(path) = self.library.iter().find_map(|folder| inside(&file, folder)) {
            return settled(format!("{}/{path}", self.library_name));
        }
        if let Some(path) = self.own.iter().find_map(|folder| self.told(&file, folder)) {
            return settled(own_name(path));
        }
        let found = self
            .search
            .iter()
            .filter_map(|folder| self.told(&file, folder));
        let name = own_name(
            found
                .min_by_key(|path| path.len())
                .unwrap_or_else(|| self.end(&file)),
        );
        FileName {
            name,
            is_settled: false,
        }
    }

    /// The path inside of a folder of installed packages.
    fn inside_installed<'f>(&self, file: &'f str) -> Option<&'f str> {
        let by_name = INSTALLED
            .iter()
            .filter_map(|folder| Some(file.rfind(folder)? + folder.len()));
        if let Some(at) = by_name.max() {
            return Some(&file[at..]);
        }
        self.installed
            .iter()
            .find_map(|folder| inside(file, folder))
    }

    fn is_of_package(&self, path: &str) -> bool {
        let first = path.split('/').next().unwrap_or(path);
        let package = self.package.as_deref();
        package
            .is_some_and(|package| first == package || first.strip_suffix(".py") == Some(package))
    }

    /// The path inside of a folder. The root says nothing, and neither does a folder above the user's own of what lies in
    /// that, or in the folders of other users beside it: it would tell what these are called.
    fn told<'f>(&self, file: &'f str, folder: &str) -> Option<&'f str> {
        let path = inside(file, folder)?;
        let is_root = folder.trim_end_matches('/').is_empty();
        let tells_home = |home: &String| {
            let is_of_others = users_folder(home).is_some_and(|all| inside(file, all).is_some());
            inside(home, folder).is_some() && (inside(file, home).is_some() || is_of_others)
        };
        let tells = is_root || self.home.as_ref().is_some_and(tells_home);
        (!tells).then_some(path)
    }

    /// The last folder and the file's own name, or that alone where the folder is the user's, or holds those of all.
    fn end<'f>(&self, file: &'f str) -> &'f str {
        let Some((folders, name)) = file.rsplit_once('/') else {
            return file;
        };
        let is_home = self.home.as_deref() == Some(folders);
        let above = folders.rsplit_once('/').map_or("", |(above, _)| above);
        let is_user = self.home.as_deref().and_then(users_folder) == Some(above);
        if is_home || is_user || matches!(above, "/home" | "/Users") || folders.is_empty() {
            return name;
        }
        file[above.len()..].trim_start_matches('/')
    }
}

/// The folder that a user's own lies in, where its name says that all users' do.
fn users_folder(home: &str) -> Option<&str> {
    let (users, _) = home.rsplit_once('/')?;
    let is_of_all = users.ends_with("/home") || users.ends_with("/Users");
    is_of_all.then_some(users)
}

/// The path inside of a folder.
fn inside<'f>(file: &'f str, folder: &str) -> Option<&'f str> {
    let folder = folder.trim_end_matches('/');
    file.strip_prefix(folder)?
        .strip_prefix('/')
        .filter(|path| !path.is_empty())
}

/// A name of the program's that is mistaken for none of what is installed.
fn own_name(path: &str) -> String {
    if OTHERS.iter().any(|other| path.starts_with(other)) {
        return format!("./{path}");
    }
    path.to_owned()
}

/// What stands in place of a file, such as `<doctest /home/me/train.py>`, with the path's own name alone.
fn without_path(text: &str) -> String {
    let words = text
        .split(' ')
        .map(|word| match (word.find('/'), word.rfind('/')) {
            (Some(from), Some(to)) => format!("{}{}", &word[..from], &word[to + 1..]),
            _ => word.to_owned(),
        });
    words.collect::<Vec<_>>().join(" ")
}

/// A path without `.` and what `..` takes back.
pub fn plain(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            _ => names.push(name),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", names.join("/"))
}

#[cfg(test)]
#[path = "places_tests.rs"]
mod tests;
