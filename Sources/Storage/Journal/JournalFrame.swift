/// The format of a journal's files: a header of 40 bytes, then the payload.
///
///     8  "PSTNJRNL"
///     8  the file's generation
///     8  the frame's number in the file, from 0
///     8  the payload's length, a multiple of 8
///     8  checksum of the three numbers and the payload
///
/// Integers are little-endian. The checksum detects flipped bits and torn ends. It does not protect
/// against an attacker who can write to the folder.
struct JournalFrame {
    static let headerBytes = 40
    /// The longest payload: a part of a snapshot, or a batch of changes.
    static let payloadBytesMax = 1 << 30
    private static let magic: UInt64 = 0x4C4E_524A_4E54_5350

    let generation: UInt64
    let number: UInt64
    let length: Int
    private let checksum: UInt64

    /// Begins a frame in `bytes`: reserves space for its header.
    static func begin(_ bytes: inout JournalBytes) -> Int {
        let start = bytes.count
        _ = bytes.append(headerBytes)
        return start
    }

    /// Writes the header of the frame that began at `start` and ends at the end of `bytes`.
    static func end(
        _ bytes: inout JournalBytes, from start: Int, generation: UInt64, number: UInt64
    ) {
        let frame = UnsafeMutableRawBufferPointer(
            mutating: UnsafeRawBufferPointer(rebasing: bytes.written[start...]))
        let payload = UnsafeRawBufferPointer(rebasing: frame[headerBytes...])
        let length = UInt64(payload.count)
        let checksum = Checksum.of(payload, seeds: [generation, number, length])
        for (place, word) in [magic, generation, number, length, checksum].enumerated() {
            frame.storeBytes(of: word.littleEndian, toByteOffset: place * 8, as: UInt64.self)
        }
    }

    /// Whether a header may begin at `place`.
    static func mayBegin(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Bool {
        bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) == magic.littleEndian
    }

    /// Whether a file that begins with these bytes may be a log whose first frame is torn: the
    /// beginning of a header, or zeros, which a power failure leaves in a block that was not
    /// written.
    static func mayBegin(file bytes: some Collection<UInt8>) -> Bool {
        let magic = (0..<8).map { UInt8(truncatingIfNeeded: Self.magic >> (8 * $0)) }
        return magic.starts(with: bytes.prefix(8)) || bytes.allSatisfy { $0 == 0 }
    }

    /// Parses a header; nil when the bytes are not one.
    init?(header: UnsafeRawBufferPointer) {
        guard header.count >= Self.headerBytes else { return nil }
        func word(_ place: Int) -> UInt64 {
            UInt64(littleEndian: header.loadUnaligned(fromByteOffset: place * 8, as: UInt64.self))
        }
        guard word(0) == Self.magic, word(3) <= UInt64(Self.payloadBytesMax), word(3) % 8 == 0
        else { return nil }
        generation = word(1)
        number = word(2)
        length = Int(word(3))
        checksum = word(4)
    }

    /// Whether the payload matches the checksum.
    func holds(_ payload: UnsafeRawBufferPointer) -> Bool {
        Checksum.of(payload, seeds: [generation, number, UInt64(length)]) == checksum
    }

    /// A checksum at memory speed: four independent sums, so that a multiplication need not wait
    /// for the previous one. Each step is a bijection of the sum, so one damaged 64-bit word always
    /// changes it.
    enum Checksum {
        private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

        /// The checksum of `bytes`, whose count is a multiple of 8, and of the `seeds` before them.
        static func of(_ bytes: UnsafeRawBufferPointer, seeds: [UInt64]) -> UInt64 {
            var sums: (UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4)
            let words = bytes.count / 8
            var place = 0
            while place + 4 <= words {
                mix(&sums.0, word(bytes, place))
                mix(&sums.1, word(bytes, place + 1))
                mix(&sums.2, word(bytes, place + 2))
                mix(&sums.3, word(bytes, place + 3))
                place += 4
            }
            while place < words {
                mix(&sums.0, word(bytes, place))
                place += 1
            }
            var sum: UInt64 = 0
            for value in seeds + [sums.0, sums.1, sums.2, sums.3] { mix(&sum, value) }
            return sum
        }

        @inline(__always)
        private static func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place * 8, as: UInt64.self))
        }

        @inline(__always)
        private static func mix(_ sum: inout UInt64, _ word: UInt64) {
            sum = (sum ^ word) &* factor
            sum ^= sum >> 29
        }
    }
}

/// A growing byte buffer for the journal, reused from one batch to the next.
///
/// It is a type of its own because appending a few bytes at a time to an array costs more than the
/// writing itself.
package struct JournalBytes: ~Copyable {
    private var bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
    /// Number of bytes written.
    package private(set) var count = 0

    /// An empty buffer.
    package init() {}

    deinit { bytes.deallocate() }

    /// Appends `size` uninitialised bytes, a multiple of 8, and returns them for the caller to
    /// fill.
    package mutating func append(_ size: Int) -> UnsafeMutableRawBufferPointer {
        if count + size > bytes.count { grow(to: max(count + size, bytes.count * 2)) }
        defer { count += size }
        return UnsafeMutableRawBufferPointer(rebasing: bytes[count..<count + size])
    }

    /// The bytes written so far.
    package var written: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[..<count])
    }

    /// Drops everything after the first `length` bytes.
    package mutating func cut(to length: Int) { count = min(count, length) }

    private mutating func grow(to size: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
        larger.copyMemory(from: written)
        bytes.deallocate()
        bytes = larger
    }
}
