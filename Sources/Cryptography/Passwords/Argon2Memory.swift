import Glibc

/// The memory of one hash after another. Mapping 19 MiB anew for each costs page faults for all of
/// it, so a thread keeps its own. libargon2 leaves it wiped.
///
/// In huge pages where the system has them: a hash reads its memory in no order, and 4,864 small
/// pages drive the whole machine's address translations out of the processor's caches.
final class Argon2Memory {
    private static let hugePageBytes = 2 << 20

    let base: UnsafeMutablePointer<UInt8>
    let byteCount: Int
    private let mapping: UnsafeMutableRawBufferPointer

    /// Maps at least `byteCount` bytes; they are taken from the system as they are first touched.
    init(byteCount: Int) throws {
        let mask = Self.hugePageBytes - 1
        // A whole number of huge pages, and room to begin at one.
        let wanted = (byteCount + mask) & ~mask
        let mapped = mmap(
            nil, wanted + Self.hugePageBytes, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped, mapped != MAP_FAILED else {
            throw CryptographyError.system("memory for password hashes", errno)
        }
        mapping = UnsafeMutableRawBufferPointer(
            start: mapped, count: wanted + Self.hugePageBytes)
        let aligned = mapped + (-Int(bitPattern: mapped) & mask)
        // Passwords' traces have no place in a core file. Where either fails all works the same.
        _ = madvise(aligned, wanted, MADV_DONTDUMP)
        _ = madvise(aligned, wanted, MADV_HUGEPAGE)
        base = aligned.bindMemory(to: UInt8.self, capacity: wanted)
        self.byteCount = wanted
    }

    deinit { munmap(mapping.baseAddress, mapping.count) }
}
