import RPC
import ServiceRuntime

extension LimitGuard {
    /// Charges `action` and then does `act`: before it, so that parallel tries cannot slip through.
    /// Where it fails, `ChargeSettlement` says whether the charge stands. The one shape of all that
    /// is counted; each names its action.
    /// - Parameters: as `begin`.
    /// - Returns: what `act` gave, and the charge, which stands until the limiter is told otherwise.
    func charging<Answer>(
        _ action: LimitedAction, _ context: CallContext, language: String,
        chargedOnceFor key: String? = nil, _ act: () async throws -> Answer
    ) async throws -> (answer: Answer, charge: LimitCharge) {
        let charge = try await begin(action, context, language: language, chargedOnceFor: key)
        do {
            return (try await act(), charge)
        } catch let error as ServiceError {
            if ChargeSettlement(of: action.kind, after: error) == .givenBack {
                await refund(charge, context)
            }
            throw error
        }
    }
}
