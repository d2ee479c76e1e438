import Glibc

/// Zeroed memory directly from the system, returned to it when it is no longer needed. Large blocks
/// that grow would fragment the C library's heap.
///
/// Large blocks use huge pages. With ten million keys each access is to another page, and the page
/// look-up then costs more than reading the slot.
struct PageMemory {
    /// The size on x86-64, and on arm64 with pages of 4 KiB.
    private static let largePage = 2 << 20

    let start: UnsafeMutableRawPointer
    /// Its length in bytes.
    let count: Int

    /// - Precondition: the system has the memory. The program cannot continue without it.
    init(_ count: Int) {
        start = count < Self.largePage ? Self.map(count) : Self.mapLarge(count)
        self.count = count
    }

    /// Returns the memory to the system.
    func release() { munmap(start, count) }

    private static func map(_ count: Int) -> UnsafeMutableRawPointer {
        let memory = mmap(
            nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        // The C library's allocation for Swift's arrays does the same.
        guard let memory, memory != MAP_FAILED else { fatalError("out of memory") }
        return memory
    }

    /// Memory aligned to a huge page; the parts before and after it are returned.
    private static func mapLarge(_ count: Int) -> UnsafeMutableRawPointer {
        let pages = (count + pageBytes - 1) / pageBytes * pageBytes
        let memory = map(pages + largePage)
        let before = (largePage - Int(bitPattern: memory) % largePage) % largePage
        let start = memory + before
        if before > 0 { munmap(memory, before) }
        munmap(start + pages, largePage - before)
        // Advice only: without huge pages it works, but more slowly.
        madvise(start, count, MADV_HUGEPAGE)
        return start
    }

    private static let pageBytes = sysconf(Int32(_SC_PAGESIZE))
}
