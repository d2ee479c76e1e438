import Glibc

/// Memory straight from the system, zeroed, and given back when it is no longer needed: large
/// blocks that grow would leave the C library's heap full of holes.
struct PageMemory {
    let bytes: UnsafeMutableRawBufferPointer

    /// - Precondition: the system has the memory; without it nothing here could go on.
    init(_ count: Int) {
        let memory = mmap(
            nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { fatalError("out of memory") }
        bytes = UnsafeMutableRawBufferPointer(start: memory, count: count)
    }

    /// Gives it back.
    func release() { munmap(bytes.baseAddress, bytes.count) }
}
