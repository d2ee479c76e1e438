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
    /// How often a call is paid for: documents may have grown since its price was named.
    private static let paymentsMax = 3

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
    /// - Throws: as `charging`; `rpc/unavailable` after `paymentsMax` prices.
    func paying<Answer: PricedAnswer>(
        _ known: Int, paid: Int, for account: String, _ context: CallContext,
        _ call: (_ paidUnits: UInt32) async throws -> Answer
    ) async throws -> Answer {
        try await paying(known, paid, account, context, prices: 0, call)
    }

    private func paying<Answer: PricedAnswer>(
        _ known: Int, _ paid: Int, _ account: String, _ context: CallContext, prices: Int,
        _ call: (_ paidUnits: UInt32) async throws -> Answer
    ) async throws -> Answer {
        if known > paid {
            var isCharged = false
            do {
                return try await charging(
                    .documentWork(account: account, units: known - paid), context
                ) {
                    isCharged = true
                    return try await paying(known, known, account, context, prices: prices, call)
                }.answer
            } catch var error as ServiceError {
                // Identity was not asked, so the charge of the call is refunded.
                if !isCharged, prices == 0 { error.isUnbegunByPeer = true }
                throw error
            }
        }
        let answer = try await call(UInt32(clamping: paid))
        let needed = Int(answer.unitsNeeded)
        guard needed > 0 else { return answer }
        guard needed > paid, prices < Self.paymentsMax else {
            throw ServiceError(
                .unavailable, detail: "identity named the price of a call again and again")
        }
        return try await paying(needed, paid, account, context, prices: prices + 1, call)
    }
}
