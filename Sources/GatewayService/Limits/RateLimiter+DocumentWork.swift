import Contracts
import Messages
import RPC
import ServiceRuntime

extension RateLimiter {
    /// How many prices of a call are paid: documents may have grown since the last was named.
    private static let pricesMax = 3

    /// Charges what a call costs that works on documents, before the work (`DocumentWork`):
    ///
    ///     the request shows that it costs more than is paid    the rest is charged first
    ///     identity names a higher price                        the rest is charged, and it is called
    ///     (`ServiceError.unitsNeeded`)                         again
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
    func paying<Answer>(
        _ known: Int, paid: Int, for account: String, _ context: CallContext,
        _ call: (_ paidUnits: UInt32) async throws -> Answer
    ) async throws -> Answer {
        var (known, paid) = (known, paid)
        for prices in 0...Self.pricesMax {
            do {
                guard known > paid else { return try await call(UInt32(clamping: paid)) }
                return try await charged(
                    known - paid, for: account, context, isFirst: prices == 0
                ) { try await call(UInt32(clamping: known)) }
            } catch let price as ServiceError where price.unitsNeeded > 0 {
                paid = max(known, paid)
                known = Int(price.unitsNeeded)
                guard known > paid else { break }
            }
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
