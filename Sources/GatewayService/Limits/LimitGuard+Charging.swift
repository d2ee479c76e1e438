import RPC
import ServiceRuntime

extension LimitGuard {
    /// Charges `action` and then does `act`: before it, so that parallel tries cannot slip through.
    /// Where it throws what is to cost nothing, the charge is taken back. The one shape of all that
    /// is counted; each names its action, and which errors are free.
    /// - Parameters: as `begin`.
    /// - Returns: what `act` gave, and the charge, which stands until the limiter is told otherwise.
    func charging<Answer>(
        _ action: LimitedAction, _ context: CallContext, language: String,
        chargedOnceFor key: String? = nil, freeWhen isFree: (ServiceError) -> Bool,
        _ act: () async throws -> Answer
    ) async throws -> (answer: Answer, charge: LimitCharge) {
        let charge = try await begin(action, context, language: language, chargedOnceFor: key)
        do {
            return (try await act(), charge)
        } catch let error as ServiceError where isFree(error) {
            await refund(charge, context)
            throw error
        } catch let error as ServiceError {
            let spared = action.spared(by: error)
            if spared.isEmpty {
                failed(charge)
            } else {
                await refund(charge, context, only: spared)
            }
            throw error
        } catch {
            failed(charge)
            throw error
        }
    }
}
