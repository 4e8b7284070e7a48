//! Finds the tool, as the loader in NVIDIA's headers does.
//!
//! First the library that `NVTX_INJECTION64_PATH` names, which exports `InitializeInjectionNvtx2`; nsys
//! and ncu set it for the programs that they start. Then a tool that is linked into the program, whose
//! function `InitializeInjectionNvtx2_fnptr` points at. The tool is called with the function that
//! gives it our tables, and answers whether it is ready.

use std::ffi::{CString, OsString, c_int, c_void};
use std::os::unix::ffi::OsStrExt;

use laptime_core::Unavailable;

use super::tables::{self, export_table};

/// The variable that names the tool's library.
pub const VARIABLE: &str = "NVTX_INJECTION64_PATH";

type ExportTable = extern "C" fn(u32) -> *const c_void;
type Initialize = unsafe extern "C" fn(ExportTable) -> c_int;

fn named() -> Option<OsString> {
    std::env::var_os(VARIABLE).filter(|path| !path.is_empty())
}

/// Whether the environment names a tool.
pub fn is_named() -> bool {
    named().is_some()
}

/// Loads the tool and lets it write its functions into our tables.
///
/// **Errors** with the reason why there is none.
pub fn load() -> Result<(), Unavailable> {
    let initialize = match named() {
        Some(path) => exported(&path)?,
        None => linked().ok_or_else(|| {
            Unavailable(
                "no tool is attached that takes NVTX ranges: start the program by `nsys profile` \
                 or `ncu --nvtx`, which set NVTX_INJECTION64_PATH"
                    .into(),
            )
        })?,
    };
    // SAFETY: the function of a tool, called as NVTX calls it; it stays loaded.
    if unsafe { initialize(export_table) } == 0 {
        tables::clear();
        return Err(Unavailable(
            "the tool that takes NVTX ranges did not start: its own output may say why".into(),
        ));
    }
    Ok(())
}

/// The function of the library at a path. The library is never closed: it may have begun threads.
fn exported(path: &OsString) -> Result<Initialize, Unavailable> {
    let shown = path.to_string_lossy();
    let unusable = |why: &str| Unavailable(format!("{VARIABLE}={shown}: {why}"));
    let path =
        CString::new(path.as_bytes()).map_err(|_| unusable("a path without NUL is needed"))?;
    // SAFETY: what the user, or the tool that started this process, asked to be loaded.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY) };
    if library.is_null() {
        return Err(unusable("the library can't be loaded"));
    }
    // SAFETY: a library that is loaded, and a function that has this type by the protocol.
    unsafe {
        let function = libc::dlsym(library, c"InitializeInjectionNvtx2".as_ptr());
        if function.is_null() {
            return Err(unusable("the library takes no NVTX ranges"));
        }
        Ok(std::mem::transmute::<*mut c_void, Initialize>(function))
    }
}

/// The function of a tool that is linked into the program.
fn linked() -> Option<Initialize> {
    // SAFETY: a variable that holds a function of this type, by the protocol, or null.
    unsafe {
        let variable = libc::dlsym(
            libc::RTLD_DEFAULT,
            c"InitializeInjectionNvtx2_fnptr".as_ptr(),
        );
        variable.cast::<Option<Initialize>>().as_ref().copied()?
    }
}
