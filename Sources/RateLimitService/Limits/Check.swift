import Contracts
package import Messages
package import RPC
import ServiceRuntime

extension LimitsHandler {
    /// Charges limits that need not survive a crash, without waiting for the disk.
    package func check(
        _ request: RateLimitV1.CheckRequest, _ context: CallContext
    ) throws -> RateLimitV1.CheckResponse {
        let now = time.now()
        if request.charges.count == 1 {
            let charge = try RequestedCharge(request.charges[0])
            if let decision = checkAlone(charge, request.language, at: now) {
                return RateLimitV1.CheckResponse(decision: decision)
            }
        }
        let charges = try RequestedCharge.read(request.charges)
        guard !charges.contains(where: \.limit.definition.isDurable) else {
            throw ServiceError(.invalidArgument, fields: ["charges.limit"])
        }
        let (plan, decided) = try planAndDecide(charges, at: now) { apply(.consume, $0, at: now) }
        let verdict = decided ?? LimitVerdict()
        count(verdict, of: plan, at: now)
        return RateLimitV1.CheckResponse(decision: answer(verdict, plan, request.language, now))
    }

    /// The response of `Check` to one charge to one limit, the usual request. It needs no arrays of
    /// charges, limits and requests, which cost more than the decision.
    ///
    ///     limit                                      decided
    ///     durable                                    nil: rejected, as in a batch
    ///     any, with an amount                        nil: as a batch
    ///     with a lane for known devices, or with
    ///     subjects that are canonicalised            nil: as a batch
    ///     any other                                  here, with the same result as a batch of one
    func checkAlone(
        _ charge: RequestedCharge, _ language: String, at now: Timestamp
    ) -> RateLimitV1.Decision? {
        guard charge.limit.isDecidedAlone, charge.amount == 1 else { return nil }
        var subject = charge.subject
        let verdict = subject.withUTF8 {
            decideAlone(charge.limit, UnsafeRawBufferPointer($0), at: now)
        }
        return answer(verdict, by: charge.limit, language, now)
    }

    /// Decides such a `Check` from the request's bytes. A response that is not limited is written
    /// as bytes too, because messages would double the cost.
    /// - Returns: false for any other request, which was not charged.
    /// - Throws: `rpc/resource-exhausted` if the response exceeds the peer's limit.
    func checkInPlace(
        _ request: UnsafeRawBufferPointer, _ writer: ResponseWriter, _ out: inout ResponseBuffer
    ) throws -> Bool {
        guard let check = BorrowedCheck(request) else { return false }
        let now = time.now()
        let verdict = decideAlone(check.limit, check.subject, at: now)
        if verdict.isLimited {
            let language = String(decoding: check.language, as: UTF8.self)
            let decision = answer(verdict, by: check.limit, language, now)
            try writer.write(RateLimitV1.CheckResponse(decision: decision), to: &out)
        } else {
            try writer.write(AllowedCheck(verdict, by: check.limit), to: &out)
        }
        return true
    }

    /// Charges one subject of a limit that `isDecidedAlone`.
    private func decideAlone(
        _ limit: LimitName, _ subject: UnsafeRawBufferPointer, at now: Timestamp
    ) -> LimitVerdict {
        let (rule, isShadow) = policies.policy(limit)
        while true {
            let ring = subjects.ring
            let request = LimitRequest(
                key: subjects.key(limit, canonical: subject, rule, ring, at: now), rule: rule,
                isShadow: isShadow)
            let verdict = table.apply(.consume, request, at: now, under: ring.number)
            // Another secret became current in between, which is rare.
            if verdict.isStale { continue }
            count(verdict, of: limit, request.key, at: now)
            return verdict
        }
    }

    /// Counts the decision on one request in metrics and reports.
    private func count(
        _ verdict: LimitVerdict, of limit: LimitName, _ key: LimitKey, at now: Timestamp
    ) {
        if verdict.isFull { hits.full() }
        if verdict.isLimited { hits.record(limit, key, verdict, at: now) }
        if verdict.shadowLimited != 0 { hits.recordShadow(limit) }
    }

    /// The methods of `Limits` for a server: those of the generated dispatcher, except that a
    /// `Check` of one charge is read and answered in place.
    package var methods: ServiceMethods {
        LimitsDispatcher.methods(of: self).attempting(LimitsDescription.check) {
            [self] request, writer, out in
            try checkInPlace(request, writer, &out)
        }
    }
}

extension LimitName {
    /// Whether a flow may charge it, and one charge to it is decided without a plan.
    var isDecidedAlone: Bool {
        let definition = definition
        return definition.charger == .flow && !definition.isDurable && definition.subject == .text
            && TrustedLane.lane(of: self) == nil
    }
}

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
        var names = [[UInt8]](repeating: [], count: LimitName.numberEnd)
        for limit in LimitName.allCases {
            names[Int(limit.number)] = RateLimitV1.Decision(limit: limit.rawValue).encoded()
        }
        return names
    }()
}
