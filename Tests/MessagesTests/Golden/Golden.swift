import Foundation

@testable import Messages

/// Messages as Python's protobuf encodes them (`make_golden.py`), and how it reads them.
struct Golden: CustomStringConvertible, Sendable {
    /// `full`, `extreme`, `oneof-access_token` …
    let variant: String
    /// Full name of the message.
    let name: String
    /// The encoded message.
    let bytes: [UInt8]
    /// The same message in proto JSON.
    let json: String
    /// The lengths of truncations that Python still reads as a message.
    let cuts: Set<Int>

    var description: String { "\(name) \(variant)" }

    /// All of them, every message of every proto.
    static let all: [Golden] = lines.filter { $0[0] == "message" }.map { columns in
        Golden(
            variant: columns[1], name: columns[2], bytes: hex(columns[3]), json: columns[4],
            cuts: Set(columns[5].split(separator: ",").compactMap { Int($0) }))
    }

    /// The serialised `FileDescriptorSet` of all protos.
    static let schemaBytes = lines.first { $0[0] == "schema" }.map { hex($0[1]) } ?? []

    /// The schema of all protos.
    static let schema = Result { try Schema(fileDescriptorSet: schemaBytes) }

    private static let lines: [[String]] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let text = try? String(
            contentsOf: file.appendingPathComponent("golden.txt"), encoding: .utf8)
        return (text ?? "").split(separator: "\n").map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }()

    private static func hex(_ text: String) -> [UInt8] {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count - 1, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }
}
