import Glibc

/// Memory straight from the system, zeroed, and given back when it is no longer needed: large
/// blocks that grow would leave the C library's heap full of holes.
struct PageMemory {
    let start: UnsafeMutableRawPointer
    /// Its length in bytes.
    let count: Int

    /// - Precondition: the system has the memory; without it nothing here could go on.
    init(_ count: Int) {
        let memory = mmap(
            nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        // As the C library's own allocation does for Swift's arrays.
        guard let memory, memory != MAP_FAILED else { fatalError("out of memory") }
        start = memory
        self.count = count
    }

    /// Gives it back.
    func release() { munmap(start, count) }
}
