//! Reads this process's memory where nothing may be any more: the system says so, and nobody faults.

/// Copies what stands at an address; false where nothing, or not all of it, is there.
///
/// **Cost** 0.4 µs for a few hundred bytes.
pub fn peek(address: u64, into: &mut [u8]) -> bool {
    peek_all([(address, into)])
}

/// Copies what stands at several addresses; false where some of it isn't there.
///
/// **Cost** one call of the system.
pub fn peek_all<const N: usize>(pieces: [(u64, &mut [u8]); N]) -> bool {
    let all_len: usize = pieces.iter().map(|(_, into)| into.len()).sum();
    let both = pieces.map(|(address, into)| {
        let local = libc::iovec {
            iov_base: into.as_mut_ptr().cast(),
            iov_len: into.len(),
        };
        let remote = libc::iovec {
            iov_base: std::ptr::with_exposed_provenance_mut(address as usize),
            iov_len: into.len(),
        };
        (local, remote)
    });
    let (local, remote) = (both.map(|(local, _)| local), both.map(|(_, remote)| remote));
    let count = N as libc::c_ulong;
    // SAFETY: the system writes to what was given only, and reads nothing that isn't there.
    let read = unsafe {
        let process = libc::getpid();
        libc::process_vm_readv(process, local.as_ptr(), count, remote.as_ptr(), count, 0)
    };
    usize::try_from(read) == Ok(all_len)
}

/// The word that stands at an offset from an address, which may be any number.
pub fn word(address: u64, offset: u64) -> Option<u64> {
    let mut bytes = [0; 8];
    peek(address.wrapping_add(offset), &mut bytes).then(|| u64::from_ne_bytes(bytes))
}

/// The half word that stands there.
pub fn half(address: u64, offset: u64) -> Option<u32> {
    let mut bytes = [0; 4];
    peek(address.wrapping_add(offset), &mut bytes).then(|| u32::from_ne_bytes(bytes))
}

/// The word at an offset of what was copied; zero beyond its end.
pub fn word_at(bytes: &[u8], offset: u64) -> u64 {
    let from = bytes.get(offset as usize..);
    let word = from.and_then(|from| from.first_chunk());
    word.map_or(0, |word| u64::from_ne_bytes(*word))
}

/// The half word at an offset of what was copied; zero beyond its end.
pub fn half_at(bytes: &[u8], offset: u64) -> u32 {
    let from = bytes.get(offset as usize..);
    let half = from.and_then(|from| from.first_chunk());
    half.map_or(0, |half| u32::from_ne_bytes(*half))
}
