import NIOCore

/// Items that came and were not taken: their bytes behind each other, each behind its length. They
/// stay undecoded, since a hostile message can grow a hundredfold by decoding.
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

    /// Takes up to `max` items, the last first, decoded each by `decode`. Where one does not decode
    /// the items before it are given, and it stays: the next to take it is told.
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

    /// Forgets what nobody will take.
    mutating func clear() {
        bytes = nil
        count = 0
    }
}
