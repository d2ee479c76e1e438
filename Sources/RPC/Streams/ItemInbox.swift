import NIOCore

/// Items that arrived and were not yet taken: their bytes in one buffer, each item after its
/// length. They stay encoded, since a hostile message can grow a hundredfold when it is decoded.
struct ItemInbox {
    private var bytes: ByteBuffer?
    private(set) var count = 0

    /// Bytes held.
    var byteCount: Int { bytes?.readableBytes ?? 0 }

    mutating func add(_ payload: UnsafeRawBufferPointer) {
        var buffer = bytes.take() ?? ByteBuffer()
        buffer.writeInteger(UInt32(truncatingIfNeeded: payload.count))
        buffer.writeBytes(payload)
        bytes = buffer
        count += 1
    }

    /// Takes up to `max` items, each decoded by `decode`, in reverse order. If an item does not
    /// decode, the items before it are returned and it stays at the front.
    /// - Throws: the error of `decode` when the first item does not decode.
    mutating func take<Item>(
        max: Int, _ decode: (UnsafeRawBufferPointer) throws -> Item
    ) throws -> [Item] {
        guard var buffer = bytes.take() else { return [] }
        var items: [Item] = []
        items.reserveCapacity(Swift.min(max, count))
        defer {
            count -= items.count
            bytes = count == 0 ? nil : buffer
        }
        while items.count < Swift.min(max, count) {
            let before = buffer
            guard let length = buffer.readInteger(as: UInt32.self),
                let item = buffer.readSlice(length: Int(length))
            else { break }
            do {
                items.append(try item.withUnsafeReadableBytes(decode))
            } catch {
                buffer = before
                if items.isEmpty { throw error }
                break
            }
        }
        items.reverse()
        return items
    }

    /// Drops the items that will not be taken.
    mutating func clear() {
        bytes = nil
        count = 0
    }
}
