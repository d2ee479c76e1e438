import Glibc

/// Memory straight from the system, zeroed, and given back when it is no longer needed: large
/// blocks that grow would leave the C library's heap full of holes.
///
/// Where there is enough of it, it asks for large pages: of ten million keys each is somewhere
/// else, and finding the page then costs more than reading the slot.
struct PageMemory {
    /// Of x86-64 and, with pages of 4 KiB, of arm64.
    private static let largePage = 2 << 20

    let start: UnsafeMutableRawPointer
    /// Its length in bytes.
    let count: Int

    /// - Precondition: the system has the memory; without it nothing here could go on.
    init(_ count: Int) {
        start = count < Self.largePage ? Self.map(count) : Self.mapLarge(count)
        self.count = count
    }

    /// Gives it back.
    func release() { munmap(start, count) }

    private static func map(_ count: Int) -> UnsafeMutableRawPointer {
        let memory = mmap(
            nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        // As the C library's own allocation does for Swift's arrays.
        guard let memory, memory != MAP_FAILED else { fatalError("out of memory") }
        return memory
    }

    /// Memory that begins with a large page: what is before and behind it is given back.
    private static func mapLarge(_ count: Int) -> UnsafeMutableRawPointer {
        let pages = (count + pageBytes - 1) / pageBytes * pageBytes
        let memory = map(pages + largePage)
        let before = (largePage - Int(bitPattern: memory) % largePage) % largePage
        let start = memory + before
        if before > 0 { munmap(memory, before) }
        munmap(start + pages, largePage - before)
        // Advice only: without large pages everything works, somewhat slower.
        madvise(start, count, MADV_HUGEPAGE)
        return start
    }

    private static let pageBytes = sysconf(Int32(_SC_PAGESIZE))
}
