import Contracts
import Messages
import ServiceRuntime

/// The encoded response to a `Check` that is allowed. Its bytes are those of a `CheckResponse` with
/// the same `Decision`. Such responses differ only in three numbers, so the limit's name is encoded
/// once in advance.
struct AllowedCheck: WireEncoded {
    /// The field `limit` of the decision.
    private let name: [UInt8]
    private let remaining: UInt64
    private let attempt: UInt64
    private let resetAt: UInt64
    private let decisionBytes: Int

    /// - Precondition: the verdict is not limited.
    init(_ verdict: LimitVerdict, by limit: LimitName) {
        name = Self.names[Int(limit.number)]
        remaining = UInt64(UInt32(clamping: verdict.remaining))
        attempt = UInt64(UInt32(clamping: verdict.attempt))
        resetAt = UInt64(bitPattern: verdict.resetAt?.milliseconds ?? 0)
        decisionBytes =
            name.count + Self.bytes(remaining) + Self.bytes(attempt) + Self.bytes(resetAt)
    }

    var encodedByteCount: Int { 1 + WireSize.ofVarint(UInt64(decisionBytes)) + decisionBytes }

    func encode(to writer: inout WireWriter) {
        writer.varint(Self.decision, UInt64(decisionBytes))
        writer.copy(name)
        if remaining != 0 { writer.varint(Self.remaining, remaining) }
        if attempt != 0 { writer.varint(Self.attempt, attempt) }
        if resetAt != 0 { writer.varint(Self.resetAt, resetAt) }
    }

    /// Bytes of a field with a one-byte tag; a 0 is omitted.
    private static func bytes(_ value: UInt64) -> Int {
        value == 0 ? 0 : 1 + WireSize.ofVarint(value)
    }

    // Tags of `CheckResponse`, then of its `Decision`.
    private static let decision: UInt32 = 10
    private static let remaining: UInt32 = 32
    private static let attempt: UInt32 = 40
    private static let resetAt: UInt32 = 48

    /// By the limit's number.
    private static let names: [[UInt8]] = {
        var names = [[UInt8]](repeating: [], count: LimitName.allCases.count + 1)
        for limit in LimitName.allCases {
            names[Int(limit.number)] = RateLimitV1.Decision(limit: limit.rawValue).encoded()
        }
        return names
    }()
}
