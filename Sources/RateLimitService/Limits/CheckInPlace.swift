import Contracts
import Messages
import ServiceRuntime

/// The usual `CheckRequest`: one charge, without a device, to a limit that is decided alone. It is
/// read in place and valid only as long as its frame. An array of charges and copies of their texts
/// would cost more than the decision.
struct BorrowedCheck {
    let limit: LimitName
    let subject: UnsafeRawBufferPointer
    /// The language of the sentence in a limited response.
    let language: UnsafeRawBufferPointer

    /// Nil for any other request, valid or not. Such a request is decoded as a message and
    /// validated there.
    init?(_ request: UnsafeRawBufferPointer) {
        do throws(NonCanonicalEncoding) {
            var reader = CanonicalReader(request)
            var charge = CanonicalReader(try reader.borrowedBytes(Self.charge))
            let name = try charge.borrowedBytes(Self.limit)
            subject = try charge.borrowedText(Self.subject)
            language = try reader.borrowedText(Self.language)
            // The text of a known name is valid UTF-8.
            guard charge.isAtEnd, reader.isAtEnd, RequestedCharge.mayBeSubject(subject.count),
                let limit = LimitName.called(name), limit.isDecidedAlone
            else { return nil }
            self.limit = limit
        } catch {
            return nil
        }
    }

    // Tags of `CheckRequest`, then of its `Charge`.
    private static let charge: UInt32 = 10
    private static let language: UInt32 = 18
    private static let limit: UInt32 = 10
    private static let subject: UInt32 = 18
}

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
