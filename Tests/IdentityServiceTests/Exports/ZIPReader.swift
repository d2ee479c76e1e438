/// Reads a ZIP archive by its directory, and checks each file's header, data descriptor, lengths and
/// checksum. An implementation of its own, so that a mistake of the writer's is not repeated here.
struct ZIPReader {
    struct File: Hashable {
        let name: String
        let content: [UInt8]

        var text: String { String(decoding: content, as: UTF8.self) }
    }

    struct Damaged: Error { let what: String }

    let files: [File]

    init(_ bytes: [UInt8]) throws {
        func number(_ place: Int, _ count: Int) throws -> Int {
            guard place >= 0, place + count <= bytes.count else { throw Damaged(what: "place") }
            return bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        func require(_ isTrue: Bool, _ what: String) throws {
            guard isTrue else { throw Damaged(what: what) }
        }
        let end = bytes.count - 22
        try require(try number(end, 4) == 0x0605_4b50, "end of the directory")
        let count = try number(end + 10, 2)
        var place = try number(end + 16, 4)
        try require(place + (try number(end + 12, 4)) == end, "length of the directory")
        var files: [File] = []
        for _ in 0..<count {
            try require(try number(place, 4) == 0x0201_4b50, "entry")
            let (crc, packed) = (try number(place + 16, 4), try number(place + 20, 4))
            let (length, nameLength) = (try number(place + 24, 4), try number(place + 28, 2))
            let start = try number(place + 42, 4)
            let name = bytes[place + 46..<place + 46 + nameLength]
            try require(try number(start, 4) == 0x0403_4b50, "header")
            try require(Array(bytes[start + 30..<start + 30 + nameLength]) == Array(name), "name")
            let data = start + 30 + nameLength
            try require(try number(data + packed, 4) == 0x0807_4b50, "descriptor")
            try require(try number(data + packed + 4, 4) == crc, "descriptor's checksum")
            try require(try number(data + packed + 8, 4) == packed, "descriptor's length")
            try require(try number(data + packed + 12, 4) == length, "descriptor's full length")
            var inflation = Inflation(Array(bytes[data..<data + packed]))
            let content = try inflation.run()
            try require(content.count == length, "length")
            try require(Self.checksum(content) == crc, "checksum")
            files.append(File(name: String(decoding: name, as: UTF8.self), content: content))
            place += 46 + nameLength
        }
        self.files = files
    }

    /// The text of a file; nil for none.
    subscript(name: String) -> String? { files.first { $0.name == name }?.text }

    /// CRC-32, bit by bit.
    private static func checksum(_ bytes: [UInt8]) -> Int {
        var crc: UInt32 = 0xffff_ffff
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
        }
        return Int(~crc)
    }
}

/// Deflate's decoder (RFC 1951), for a few hundred kilobytes.
private struct Inflation {
    private static let lengthBase = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115,
        131, 163, 195, 227, 258,
    ]
    private static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let distanceBase = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1_025,
        1_537, 2_049, 3_073, 4_097, 6_145, 8_193, 12_289, 16_385, 24_577,
    ]
    private static let distanceBits = [
        0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12,
        13, 13,
    ]
    private static let order = [
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
    ]

    /// A canonical Huffman code (RFC 1951, 3.2.2).
    private struct Code {
        private var counts = [Int](repeating: 0, count: 16)
        private var symbols: [Int]

        init(_ lengths: [Int]) {
            for length in lengths { counts[length] += 1 }
            counts[0] = 0
            symbols = lengths.indices.filter { lengths[$0] > 0 }.sorted {
                (lengths[$0], $0) < (lengths[$1], $1)
            }
        }

        func symbol(_ bit: () throws -> Int) throws -> Int {
            var (code, first, index) = (0, 0, 0)
            for length in 1..<16 {
                code |= try bit()
                if code - counts[length] < first { return symbols[index + code - first] }
                index += counts[length]
                first = (first + counts[length]) << 1
                code <<= 1
            }
            throw ZIPReader.Damaged(what: "a code")
        }
    }

    private let bytes: [UInt8]
    private var place = 0
    private var output: [UInt8] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func run() throws -> [UInt8] {
        var isLast = false
        while !isLast {
            isLast = try bits(1) == 1
            switch try bits(2) {
            case 0: try stored()
            case 1:
                let lengths = (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
                try block(Code(lengths), Code([Int](repeating: 5, count: 30)))
            case 2: try dynamic()
            default: throw ZIPReader.Damaged(what: "a block")
            }
        }
        guard (place + 7) / 8 == bytes.count else { throw ZIPReader.Damaged(what: "the end") }
        return output
    }

    private mutating func bits(_ count: Int) throws -> Int {
        var value = 0
        for shift in 0..<count {
            guard place >> 3 < bytes.count else { throw ZIPReader.Damaged(what: "too short") }
            value |= Int(bytes[place >> 3] >> UInt8(place & 7) & 1) << shift
            place += 1
        }
        return value
    }

    private mutating func stored() throws {
        place = (place + 7) & ~7
        let length = try bits(16)
        guard try bits(16) == length ^ 0xffff else { throw ZIPReader.Damaged(what: "a length") }
        for _ in 0..<length { output.append(UInt8(try bits(8))) }
    }

    private mutating func symbol(_ code: Code) throws -> Int {
        try code.symbol { try bits(1) }
    }

    private mutating func dynamic() throws {
        let (literals, distances) = (try bits(5) + 257, try bits(5) + 1)
        var lengths = [Int](repeating: 0, count: 19)
        for index in 0..<(try bits(4) + 4) { lengths[Self.order[index]] = try bits(3) }
        let code = Code(lengths)
        lengths = []
        while lengths.count < literals + distances {
            switch try symbol(code) {
            case 16: lengths += [Int](repeating: lengths.last ?? 0, count: try bits(2) + 3)
            case 17: lengths += [Int](repeating: 0, count: try bits(3) + 3)
            case 18: lengths += [Int](repeating: 0, count: try bits(7) + 11)
            case let length: lengths.append(length)
            }
        }
        try block(Code(Array(lengths[..<literals])), Code(Array(lengths[literals...])))
    }

    private mutating func block(_ literals: Code, _ distances: Code) throws {
        while true {
            let found = try symbol(literals)
            guard found >= 256 else {
                output.append(UInt8(found))
                continue
            }
            guard found > 256 else { return }
            let length =
                Self.lengthBase[found - 257] + (try bits(Self.lengthBits[found - 257]))
            let far = try symbol(distances)
            let distance = Self.distanceBase[far] + (try bits(Self.distanceBits[far]))
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
    }
}
