import RPC
import ServiceRuntime

extension RateLimiter {
    /// Charges `action`, then runs `act`. The charge comes first, so that parallel attempts cannot
    /// pass the limit. If `act` fails, `ChargeSettlement` decides whether the charge stays. All
    /// charged flows use this function.
    /// - Parameters: as for `begin`.
    /// - Returns: the result of `act`, and the charge, which stays until it is refunded or
    ///   succeeds.
    /// - Throws: as `begin`, and the errors of `act`.
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

    /// Refunds the charge of a failed flow, in whole or in part, or lets it stay.
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
