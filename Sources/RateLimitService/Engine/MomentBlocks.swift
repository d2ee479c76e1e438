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
        let room = bytes / (moments * 4)
        if made == room { grow(to: max(Self.blocksMin, room + room / 4)) }
        made += 1
        return UInt32(made - 1)
    }

    /// Frees a block.
    mutating func give(_ block: UInt32) {
        self[block][0] = free
        free = block
        count -= 1
    }

    private mutating func grow(to room: Int) {
        let larger = PageMemory(room * moments * 4)
        if let memory {
            larger.start.copyMemory(from: memory.start, byteCount: memory.count)
            memory.release()
        }
        memory = larger
    }
}
