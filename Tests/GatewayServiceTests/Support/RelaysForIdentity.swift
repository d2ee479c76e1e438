import Contracts
import Messages
import RPC

@testable import NotificationService

/// The notification service as identity calls it. Between processes the connection identifies the
/// caller.
struct RelaysForIdentity: RelayAddressesAPI {
    let relayAddresses: RelayAddressesHandler

    func setRelay(
        _ request: NotificationV1.SetRelayRequest, _ context: CallContext
    ) async throws -> NotificationV1.SetRelayResponse {
        try await relayAddresses.setRelay(
            request,
            CallContext(
                application: "identity", deadline: context.deadline, metadata: context.metadata))
    }
}
