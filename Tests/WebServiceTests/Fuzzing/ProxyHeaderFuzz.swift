import Addresses

@testable import WebService

/// Any bytes at the start of a connection, as they arrive: the reader of PROXY protocol needs more
/// bytes, or decides once, and keeps its decision when more bytes follow.
package enum ProxyHeaderFuzz {
    /// The longest header of version 2 that is accepted; from here on it must have decided.
    private static let bytesMax = 2_048

    /// A description of what is wrong, or nil.
    package static func finding(_ input: [UInt8]) -> String? {
        var decision: ProxyHeader?
        for count in 1..<max(2, input.count + 1) {
            let read = ProxyHeader.read(input.prefix(count))
            if let decision {
                guard read == decision else { return "\(decision), then \(read) at \(count) bytes" }
            } else if read != .incomplete {
                guard isPossible(read, of: input, at: count) else { return "\(read) at \(count)" }
                decision = read
            }
        }
        guard decision == nil, input.count >= bytesMax else { return nil }
        return "not decided after \(input.count) bytes"
    }

    /// Whether a header can be complete with these bytes.
    private static func isPossible(_ read: ProxyHeader, of input: [UInt8], at count: Int) -> Bool {
        guard case .complete(let client, let byteCount) = read else { return true }
        let isText = input.starts(with: Array("PROXY ".utf8))
        guard byteCount == count else { return false }
        return client.map { isText || [4, 16].contains($0.bytes.count) } ?? true
    }
}
