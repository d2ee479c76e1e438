import Addresses

/// The header of PROXY protocol (HAProxy's `proxy-protocol.txt`, versions 1 and 2), with which a
/// proxy that forwards TCP names the address of its client. It comes before everything else.
///
/// It is read only from trusted proxies: anyone else could claim any address with it.
enum ProxyHeader: Equatable {
    /// The bytes may become a header; more are needed.
    case incomplete
    /// The bytes do not begin a header.
    case absent
    /// They begin a header, and violate its rules.
    case malformed
    /// A header of `byteCount` bytes. The client is nil if the proxy speaks for itself (a health
    /// check: LOCAL), or does not know (UNKNOWN, UNSPEC).
    case complete(client: ClientAddress?, byteCount: Int)

    /// Longest header of version 1, with its line end.
    private static let textBytesMax = 107
    /// Longest accepted header of version 2. Proxies append some 100 bytes (TLVs) to addresses of
    /// 36.
    private static let binaryBytesMax = 2_048

    private static let textStart = Array("PROXY ".utf8)
    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]

    /// Reads the first bytes of a connection.
    static func read(_ bytes: some Collection<UInt8>) -> ProxyHeader {
        let bytes = Array(bytes.prefix(binaryBytesMax))
        if bytes.isEmpty { return .incomplete }
        if bytes.starts(with: signature) { return binary(bytes) }
        if bytes.starts(with: textStart) { return text(bytes) }
        let isStart = signature.starts(with: bytes) || textStart.starts(with: bytes)
        return isStart ? .incomplete : .absent
    }

    // MARK: Version 1

    private static func text(_ bytes: [UInt8]) -> ProxyHeader {
        guard let end = bytes.prefix(textBytesMax).firstIndex(of: 0x0A) else {
            return bytes.count < textBytesMax ? .incomplete : .malformed
        }
        guard bytes[end - 1] == 0x0D, bytes[..<end].allSatisfy({ $0 < 0x80 }) else {
            return .malformed
        }
        let line = String(decoding: bytes[..<(end - 1)], as: UTF8.self)
        let fields = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        // What follows UNKNOWN must be ignored.
        if fields[1] == "UNKNOWN" { return .complete(client: nil, byteCount: end + 1) }
        guard fields.count == 6, isPort(fields[4]), isPort(fields[5]),
            let client = address(fields[2], fields[1]), address(fields[3], fields[1]) != nil
        else { return .malformed }
        return .complete(client: client, byteCount: end + 1)
    }

    /// An address of the family that the header names: `TCP4` or `TCP6`.
    private static func address(_ text: String, _ family: String) -> ClientAddress? {
        switch (InternetAddress(text: text), family) {
        case (.v4, "TCP4"), (.v6, "TCP6"): ClientAddress(text)
        default: nil
        }
    }

    private static func isPort(_ text: String) -> Bool {
        guard let number = UInt16(text) else { return false }
        return String(number) == text
    }

    // MARK: Version 2

    private static func binary(_ bytes: [UInt8]) -> ProxyHeader {
        guard bytes.count >= 16 else { return .incomplete }
        let count = 16 + Int(bytes[14]) << 8 + Int(bytes[15])
        guard count <= binaryBytesMax else { return .malformed }
        guard bytes.count >= count else { return .incomplete }
        let rest = bytes[16..<count]
        switch (bytes[12], bytes[13]) {
        case (0x20, _):
            // LOCAL: the addresses are ignored.
            return .complete(client: nil, byteCount: count)
        case (0x21, 0x00):
            return .complete(client: nil, byteCount: count)
        case (0x21, 0x11) where rest.count >= 12:
            return .complete(client: ClientAddress(bytes: rest.prefix(4)), byteCount: count)
        case (0x21, 0x21) where rest.count >= 36:
            return .complete(client: ClientAddress(bytes: rest.prefix(16)), byteCount: count)
        default:
            // Another version or command, UDP, or a socket in the file system.
            return .malformed
        }
    }
}
