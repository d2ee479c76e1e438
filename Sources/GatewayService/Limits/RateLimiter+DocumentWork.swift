import Contracts
import Messages
import RPC
import ServiceRuntime

/// An answer of identity that may say what the call costs, and then nothing was done.
protocol PricedAnswer: Sendable {
    /// 0 if the call was done.
    var unitsNeeded: UInt32 { get }
}

extension IdentityV1.WriteDocumentsResponse: PricedAnswer {}
extension IdentityV1.CompleteOnboardingResponse: PricedAnswer {}

extension RateLimiter {
    /// How many prices of a call are paid: documents may have grown since the last was named.
    private static let pricesMax = 3

    /// Charges what a call costs that works on documents, before the work (`DocumentWork`):
    ///
    ///     the request shows that it costs more than is paid    the rest is charged first
    ///     identity names a higher price                        the rest is charged, and it is called
    ///                                                          again
    ///     a charge is refused                                  `auth/too-many-requests`
    ///
    /// Each attempt pays, also a retry with the same idempotency key: a call that is refused for its
    /// content is not remembered, and its retries would do the work without end. So the charge of
    /// the call itself, which a retry shares, covers one unit.
    /// - Parameters:
    ///   - known: what the request costs at least.
    ///   - paid: what was charged until here.
    ///   - call: calls the identity service with what was paid.
    /// - Throws: as `charging`; `rpc/unavailable` after `pricesMax` prices.
    func paying<Answer: PricedAnswer>(
        _ known: Int, paid: Int, for account: String, _ context: CallContext,
        _ call: (_ paidUnits: UInt32) async throws -> Answer
    ) async throws -> Answer {
        var (known, paid) = (known, paid)
        for prices in 0...Self.pricesMax {
            let answer: Answer
            if known > paid {
                answer = try await charged(
                    known - paid, for: account, context, isFirst: prices == 0
                ) { try await call(UInt32(clamping: known)) }
                paid = known
            } else {
                answer = try await call(UInt32(clamping: paid))
            }
            let needed = Int(answer.unitsNeeded)
            guard needed > 0 else { return answer }
            guard needed > paid else { break }
            known = needed
        }
        throw ServiceError(
            .unavailable, detail: "identity named the price of a call again and again")
    }

    /// Charges units and calls. If the first units are refused, identity was not asked, so the charge
    /// of the call is refunded too.
    private func charged<Answer>(
        _ units: Int, for account: String, _ context: CallContext, isFirst: Bool,
        _ call: () async throws -> Answer
    ) async throws -> Answer {
        var isCharged = false
        do {
            return try await charging(.documentWork(account: account, units: units), context) {
                isCharged = true
                return try await call()
            }.answer
        } catch var error as ServiceError {
            if !isCharged, isFirst { error.isUnbegunByPeer = true }
            throw error
        }
    }
}
