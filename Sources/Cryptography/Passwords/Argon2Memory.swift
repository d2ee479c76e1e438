import Glibc

/// The memory for hashes, reused by one thread. Mapping 19 MiB for each hash would cost page faults
/// for all of it. libargon2 wipes it after each hash.
///
/// Uses huge pages where the system has them: a hash reads its memory in random order, and 4,864
/// small pages would evict the address translations of the whole machine from the processor's
/// caches.
final class Argon2Memory {
    private static let hugePageBytes = 2 << 20

    let base: UnsafeMutablePointer<UInt8>
    let byteCount: Int
    private let mapping: UnsafeMutableRawBufferPointer

    /// Maps at least `byteCount` bytes. The system allocates them at first access.
    /// - Throws: `CryptographyError.system` when the system has no memory available.
    init(byteCount: Int) throws {
        let mask = Self.hugePageBytes - 1
        // A whole number of huge pages, plus one for alignment.
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
        // A core file must not contain traces of passwords. Both calls may fail without effect on
        // the hash.
        _ = madvise(aligned, wanted, MADV_DONTDUMP)
        _ = madvise(aligned, wanted, MADV_HUGEPAGE)
        base = aligned.bindMemory(to: UInt8.self, capacity: wanted)
        self.byteCount = wanted
    }

    deinit { munmap(mapping.baseAddress, mapping.count) }
}
