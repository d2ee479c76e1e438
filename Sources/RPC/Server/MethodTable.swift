import Glibc

/// Finds a handler by the method's bytes in the frame, so that no String is made for a call.
struct MethodTable: Sendable {
    /// A handler with the index of its counters.
    final class Entry: Sendable {
        let handler: MethodHandler
        let name: [UInt8]
        let lane: MethodLane
        /// It streams, or its default timeout is that of a method that waits for events (`Watch`):
        /// its calls are never logged as slow.
        let mayTakeLong: Bool
        /// Its index in `names`, and in the counters of each event loop.
        let index: Int

        init(_ handler: MethodHandler, named name: String, index: Int) {
            self.handler = handler
            self.index = index
            self.name = Array(name.utf8)
            lane = MethodLane(of: handler.method)
            mayTakeLong =
                handler.method.streams != .none || handler.method.timeout > Self.waitingLonger
        }

        private static let waitingLonger = Duration.seconds(60)

        func isNamed(_ other: UnsafeRawBufferPointer) -> Bool {
            name.withUnsafeBytes { own in
                guard own.count == other.count, let start = own.baseAddress,
                    let otherStart = other.baseAddress
                else { return false }
                return memcmp(start, otherStart, own.count) == 0
            }
        }
    }

    /// An open hash table with linear probing: each entry is in the first free slot from the one
    /// that its hash selects. At least half of the slots are free, and their number is a power of
    /// two. Every call does this lookup, and a Dictionary would hash the hash again.
    private var slots: [Entry?]
    /// The methods' names, at the index of their entries.
    let names: [String]
    /// The methods that a caller may call only if its entry in the callers list names them.
    let namedOnly: Set<String>
    /// The methods that browsers and phones may call through the web service.
    let publicNames: Set<String>

    init(_ services: [ServiceMethods]) {
        let handlers = services.flatMap(\.handlers)
        names = handlers.map(\.method.name)
        namedOnly = Set(
            handlers.map(\.method).filter(\.isForNamedCallersOnly).map(\.name))
        publicNames = Set(handlers.map(\.method).filter(\.isPublic).map(\.name))
        let former = Dictionary(grouping: FormerMethodNames.current.keys) { name in
            FormerMethodNames.current[name]
        }
        let entries = handlers.enumerated().flatMap { index, handler in
            let name = handler.method.name
            return ([name] + former[name, default: []]).map {
                Entry(handler, named: $0, index: index)
            }
        }
        var count = 2
        while count < entries.count * 2 { count *= 2 }
        slots = Array(repeating: nil, count: count)
        for entry in entries {
            var slot = entry.name.withUnsafeBytes { firstSlot($0) }
            while slots[slot] != nil { slot = next(slot) }
            slots[slot] = entry
        }
    }

    func entry(_ name: UnsafeRawBufferPointer) -> Entry? {
        var slot = firstSlot(name)
        while let entry = slots[slot] {
            if entry.isNamed(name) { return entry }
            slot = next(slot)
        }
        return nil
    }

    private func firstSlot(_ name: UnsafeRawBufferPointer) -> Int {
        Int(truncatingIfNeeded: Self.hash(name)) & (slots.count - 1)
    }

    private func next(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }

    /// A cheap hash of the bytes, eight at a time. It need not resist collisions: only our own
    /// names are in the table.
    static func hash(_ name: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: name.count)
        var position = 0
        while position + 8 <= name.count {
            let word = name.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            hash = (hash ^ word) &* 0x9e37_79b9_7f4a_7c15
            hash ^= hash >> 29
            position += 8
        }
        while position < name.count {
            hash = (hash ^ UInt64(name[position])) &* 0x9e37_79b9_7f4a_7c15
            position += 1
        }
        return hash
    }
}
