internal import CMessages
import Cryptography

/// Decodes a message in canonical form directly to Swift values: only known fields, each with its
/// declared wire type, in the order of their numbers, as every encoder writes them. Decoding
/// through libprotobuf-c's structs took half as many instructions more.
///
/// Any other encoding is put in canonical form by libprotobuf-c from the first byte, and then read
/// here: unknown fields, another order, parts to be merged, more memory than the budget. So for a
/// first reading this reader never rejects a message. It only has to be right about what it
/// accepts, and `CanonicalReaderTests` compares both ways.
///
/// Generated code asks for one field after the other. A field that is not next is absent; if fields
/// are left at the end, the encoding was not canonical.
package struct CanonicalReader {
    private let bytes: UnsafeRawBufferPointer
    /// After the tag of the next field.
    private var position = 0
    /// The end of the message or nested message that is being read.
    private var end: Int
    /// The number and wire type of the next field, as one number; `none` at the end.
    private(set) var tag = CanonicalReader.none
    /// Bytes of memory that array elements may still use.
    private var budget: Int

    private static let none: UInt32 = 0
    /// Not the tag of any field.
    private static let nonCanonical = UInt32.max

    private init(_ bytes: UnsafeRawBufferPointer, budget: Int) {
        self.bytes = bytes
        end = bytes.count
        self.budget = budget
        next()
    }

    /// Decodes the message in `bytes`.
    /// - Parameter budget: Bytes of memory that array elements may use.
    /// - Throws: `NonCanonicalEncoding`.
    static func message<Message: ProtobufMessage>(
        in bytes: UnsafeRawBufferPointer, budget: Int
    ) throws(NonCanonicalEncoding) -> Message {
        var reader = CanonicalReader(bytes, budget: budget)
        let message = try Message.read(from: &reader)
        guard reader.tag == none else { throw NonCanonicalEncoding() }
        return message
    }

    // MARK: Wire format

    /// Reads the tag of the next field: one byte, or two in the shortest form.
    @inline(__always)
    private mutating func next() {
        guard position < end else {
            tag = Self.none
            return
        }
        let first = UInt32(bytes[position])
        position += 1
        tag = first
        if first >= 0x80 || first == 0 { longTag(first) }
    }

    private mutating func longTag(_ first: UInt32) {
        tag = Self.nonCanonical
        guard first != 0, position < end else { return }
        let second = UInt32(bytes[position])
        position += 1
        if second > 0, second < 0x80 { tag = first & 0x7f | second << 7 }
    }

    /// A varint: seven bits per byte, lowest first, at most ten bytes, of which the last has one
    /// bit.
    @inline(__always)
    private mutating func varint() throws(NonCanonicalEncoding) -> UInt64 {
        guard position < end else { throw NonCanonicalEncoding() }
        let first = bytes[position]
        position += 1
        return first < 0x80 ? UInt64(first) : try longVarint(first)
    }

    private mutating func longVarint(_ first: UInt8) throws(NonCanonicalEncoding) -> UInt64 {
        var value = UInt64(first & 0x7f)
        var shift: UInt64 = 7
        while position < end, shift < 64 {
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 {
                guard shift < 63 || byte < 2 else { throw NonCanonicalEncoding() }
                return value
            }
            shift += 7
        }
        throw NonCanonicalEncoding()
    }

    /// The length of a field; all its bytes are present. The library reads at most five bytes of a
    /// length.
    @inline(__always)
    private mutating func length() throws(NonCanonicalEncoding) -> Int {
        let start = position
        let length = try varint()
        guard length <= UInt64(end - position), position - start <= 5 else {
            throw NonCanonicalEncoding()
        }
        return Int(length)
    }

    /// Charges the budget for one more array element: arrays grow by doubling, next to the old
    /// copy.
    private mutating func grow<Element>(_ type: Element.Type) throws(NonCanonicalEncoding) {
        budget -= 3 * MemoryLayout<Element>.stride
        guard budget >= 0 else { throw NonCanonicalEncoding() }
    }

    // MARK: The current field

    private mutating func number() throws(NonCanonicalEncoding) -> UInt64 {
        let value = try varint()
        next()
        return value
    }

    @inline(__always)
    private mutating func borrowedBytes() throws(NonCanonicalEncoding) -> UnsafeRawBufferPointer {
        let count = try length()
        let borrowed = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
        position += count
        next()
        return borrowed
    }

    /// A text's bytes, and whether all are ASCII.
    @inline(__always)
    private mutating func checkedText() throws(NonCanonicalEncoding)
        -> (bytes: UnsafeBufferPointer<UInt8>, isASCII: Bool)
    {
        let bytes = try borrowedBytes().assumingMemoryBound(to: UInt8.self)
        let kind = postern_text_kind_of(bytes.baseAddress, bytes.count)
        guard kind != POSTERN_TEXT_MALFORMED else { throw NonCanonicalEncoding(isOfText: true) }
        return (bytes, kind == POSTERN_TEXT_ASCII)
    }

    /// The String is made without a second check, which costs as much as the first. The steps to it
    /// are inlined here, and this function is not inlined into each field's code.
    @inline(never)
    private mutating func text() throws(NonCanonicalEncoding) -> String {
        let (bytes, isASCII) = try checkedText()
        return String(copying: UTF8Span(unchecked: bytes.span, isKnownASCII: isASCII))
    }

    /// A nested message.
    mutating func nested<Part: ProtobufMessage>() throws(NonCanonicalEncoding) -> Part {
        let count = try length()
        let outerEnd = end
        end = position + count
        next()
        let part = try Part.read(from: &self)
        guard tag == Self.none else { throw NonCanonicalEncoding() }
        end = outerEnd
        next()
        return part
    }

    // MARK: Fields by tag

    mutating func text(_ tag: UInt32) throws(NonCanonicalEncoding) -> String {
        self.tag == tag ? try text() : ""
    }

    mutating func bytes(_ tag: UInt32) throws(NonCanonicalEncoding) -> [UInt8] {
        self.tag == tag ? Array(try borrowedBytes()) : []
    }

    /// A text of which no String is made: its bytes are copied from the frame to memory that is
    /// wiped.
    mutating func secret(_ tag: UInt32) throws(NonCanonicalEncoding) -> SecretBytes {
        guard self.tag == tag else { return .empty }
        let borrowed = UnsafeRawBufferPointer(try checkedText().bytes)
        return borrowed.isEmpty ? .empty : SecretBytes(copying: borrowed)
    }

    mutating func uint64(_ tag: UInt32) throws(NonCanonicalEncoding) -> UInt64 {
        self.tag == tag ? try number() : 0
    }

    mutating func int64(_ tag: UInt32) throws(NonCanonicalEncoding) -> Int64 {
        Int64(bitPattern: try uint64(tag))
    }

    mutating func uint32(_ tag: UInt32) throws(NonCanonicalEncoding) -> UInt32 {
        UInt32(truncatingIfNeeded: try uint64(tag))
    }

    mutating func int32(_ tag: UInt32) throws(NonCanonicalEncoding) -> Int32 {
        Int32(truncatingIfNeeded: try uint64(tag))
    }

    mutating func bool(_ tag: UInt32) throws(NonCanonicalEncoding) -> Bool { try uint64(tag) != 0 }

    mutating func message<Part: ProtobufMessage>(_ tag: UInt32) throws(NonCanonicalEncoding)
        -> Part?
    {
        self.tag == tag ? try nested() : nil
    }

    // MARK: Repeated fields

    mutating func texts(_ tag: UInt32) throws(NonCanonicalEncoding) -> [String] {
        var texts: [String] = []
        while self.tag == tag {
            try grow(String.self)
            texts.append(try text())
        }
        return texts
    }

    mutating func byteArrays(_ tag: UInt32) throws(NonCanonicalEncoding) -> [[UInt8]] {
        var arrays: [[UInt8]] = []
        while self.tag == tag {
            try grow([UInt8].self)
            arrays.append(Array(try borrowedBytes()))
        }
        return arrays
    }

    mutating func messages<Part: ProtobufMessage>(_ tag: UInt32) throws(NonCanonicalEncoding)
        -> [Part]
    {
        var parts: [Part] = []
        while self.tag == tag {
            try grow(Part.self)
            parts.append(try nested())
        }
        return parts
    }

    /// The numbers of a packed field, each converted by `convert`.
    mutating func numbers<Number>(
        _ tag: UInt32, _ convert: (UInt64) -> Number
    ) throws(NonCanonicalEncoding) -> [Number] {
        guard self.tag == tag else { return [] }
        let count = try length()
        let outerEnd = end
        end = position + count
        var numbers: [Number] = []
        while position < end {
            try grow(Number.self)
            numbers.append(convert(try varint()))
        }
        end = outerEnd
        next()
        return numbers
    }
}

/// The encoding is not canonical, so libprotobuf-c must put it in that form.
package struct NonCanonicalEncoding: Error {
    /// A text is not UTF-8 or contains a NUL.
    var isOfText = false
}
