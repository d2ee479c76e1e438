import Glibc

/// Storage for the moments of states that have more than a slot holds: blocks of one size, with a
/// free list through the free blocks.
struct MomentBlocks {
    /// The end of the free list.
    private static let none = UInt32.max
    private static let blocksMin = 64

    /// Moments in a block.
    let moments: Int
    /// Blocks in use.
    private(set) var count = 0
    private var memory: PageMemory?
    private var made = 0
    private var free = Self.none

    init(moments: Int) {
        self.moments = moments
    }

    /// Frees the memory.
    func release() { memory?.release() }

    /// Memory used, in bytes.
    var bytes: Int { memory?.count ?? 0 }

    /// A block's moments.
    subscript(block: UInt32) -> UnsafeMutablePointer<UInt32> {
        // Block numbers are only in our own slots, and a slot frees its block once.
        guard let start = memory?.start else { fatalError("no block was made") }
        return start.assumingMemoryBound(to: UInt32.self) + Int(block) * moments
    }

    /// Allocates a block whose content is undefined.
    mutating func take() -> UInt32 {
        count += 1
        if free != Self.none {
            let block = free
            free = self[block][0]
            return block
        }
        let capacity = bytes / (moments * 4)
        if made == capacity { grow(to: max(Self.blocksMin, capacity + capacity / 4)) }
        made += 1
        return UInt32(made - 1)
    }

    /// Frees a block.
    mutating func give(_ block: UInt32) {
        self[block][0] = free
        free = block
        count -= 1
    }

    private mutating func grow(to capacity: Int) {
        let larger = PageMemory(capacity * moments * 4)
        if let memory {
            larger.start.copyMemory(from: memory.start, byteCount: memory.count)
            memory.release()
        }
        memory = larger
    }
}

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
