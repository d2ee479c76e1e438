import Glibc

/// Finds a handler by the method's bytes as they lie in the frame: no String is made for a call.
struct MethodTable: Sendable {
    /// A handler, and where its calls are counted.
    final class Entry: Sendable {
        let handler: MethodHandler
        let name: [UInt8]
        let lane: MethodLane
        /// Its place in `names`, and among the methods that each event loop counts.
        let index: Int

        init(_ handler: MethodHandler, index: Int) {
            self.handler = handler
            self.index = index
            name = Array(handler.method.name.utf8)
            lane = MethodLane(of: handler.method)
        }

        func isNamed(_ other: UnsafeRawBufferPointer) -> Bool {
            name.withUnsafeBytes { own in
                guard own.count == other.count, let start = own.baseAddress,
                    let otherStart = other.baseAddress
                else { return false }
                return memcmp(start, otherStart, own.count) == 0
            }
        }
    }

    private var entries: [UInt64: [Entry]] = [:]
    /// The methods' names, each at its entry's index.
    let names: [String]

    init(_ services: [ServiceMethods]) {
        let handlers = services.flatMap(\.handlers)
        names = handlers.map(\.method.name)
        for (index, handler) in handlers.enumerated() {
            let entry = Entry(handler, index: index)
            let key = entry.name.withUnsafeBytes { Self.hash($0) }
            entries[key, default: []].append(entry)
        }
    }

    func entry(_ name: UnsafeRawBufferPointer) -> Entry? {
        entries[Self.hash(name)]?.first { $0.isNamed(name) }
    }

    /// A cheap mix of the bytes, eight at a time. Names of the table are ours, so nobody gains by
    /// making others collide with them.
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
