import Glibc

/// The memory of one hash after another. Mapping 19 MiB anew for each costs page faults for all of
/// it, so a thread keeps its own. libargon2 leaves it wiped.
final class Argon2Memory {
    let base: UnsafeMutablePointer<UInt8>
    let byteCount: Int

    /// Maps `byteCount` bytes; they are taken from the system as they are first touched.
    init(byteCount: Int) throws {
        let mapped = mmap(
            nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped, mapped != MAP_FAILED else {
            throw CryptographyError.system("memory for password hashes", errno)
        }
        // Passwords' traces have no place in a core file. Where this fails all works the same.
        _ = madvise(mapped, byteCount, MADV_DONTDUMP)
        base = mapped.bindMemory(to: UInt8.self, capacity: byteCount)
        self.byteCount = byteCount
    }

    deinit { munmap(base, byteCount) }
}
