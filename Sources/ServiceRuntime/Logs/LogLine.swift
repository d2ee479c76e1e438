import JSON
import Logging

/// One event as one line of JSON. At most `bytesMax` long, its newline included.
struct LogLine {
    /// A pipe writes up to 4,096 bytes (PIPE_BUF) atomically, so that the lines of several programs
    /// on one terminal or collector never mix: pipe(7).
    static let bytesMax = 4_096
    /// The largest size of one escaped value, in bytes.
    static let valueBytesMax = 1_024
    /// The largest number of names listed that are not in `LogField`.
    static let unlistedNamesMax = 8
    /// Reserved for the end of a line: `,"cut":true}` and the newline.
    private static let closingBytes = 16

    private var bytes: [UInt8] = [UInt8(ascii: "{")]
    private var isCut = false

    /// Adds a text.
    mutating func add(_ name: String, _ text: String) {
        add(name) { JSONText.append(text, to: &$0, .shown, bytesMax: Self.valueBytesMax) }
    }

    /// Adds a number or boolean as JSON's own, or any other value as text.
    mutating func add(_ name: String, _ value: Logger.Metadata.Value) {
        switch value {
        case .stringConvertible(LogValue.integer(let number)):
            add(name) { $0.append(contentsOf: String(number).utf8) }
        case .stringConvertible(LogValue.claim(let claim)):
            add(name) { $0.append(contentsOf: String(claim).utf8) }
        default: add(name, value.description)
        }
    }

    /// Adds the names of fields that are not in `LogField`. Their values are not written.
    mutating func addUnlisted(_ names: [String]) {
        guard !names.isEmpty else { return }
        add("unlisted", names.prefix(Self.unlistedNamesMax).joined(separator: " "))
    }

    /// The complete line with its newline.
    consuming func closed() -> [UInt8] {
        if isCut { bytes.append(contentsOf: ",\"cut\":true".utf8) }
        bytes.append(contentsOf: "}\n".utf8)
        return bytes
    }

    /// Adds a member. One that does not fit is omitted as a whole, and the line is marked as cut.
    private mutating func add(_ name: String, _ write: (inout [UInt8]) -> Void) {
        let before = bytes.count
        if before > 1 { bytes.append(UInt8(ascii: ",")) }
        JSONText.append(name, to: &bytes, .shown, bytesMax: 64)
        bytes.append(UInt8(ascii: ":"))
        write(&bytes)
        guard bytes.count > Self.bytesMax - Self.closingBytes else { return }
        bytes.removeLast(bytes.count - before)
        isCut = true
    }
}
