import RPC
import ServiceRuntime

extension RateLimiter {
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
            await settle(charge, of: action, after: error, context)
            throw error
        } catch {
            failed(charge)
            throw error
        }
    }

    /// Gives a charge back whose flow has failed, in whole or in part, or lets it stand.
    func settle(
        _ charge: LimitCharge, of action: LimitedAction, after error: ServiceError,
        _ context: CallContext
    ) async {
        if ChargeSettlement(of: action.kind, after: error) == .givenBack {
            return await refund(charge, context)
        }
        let spared = action.spared(by: error)
        if spared.isEmpty {
            failed(charge)
        } else {
            await refund(charge, context, only: spared)
        }
    }
}
