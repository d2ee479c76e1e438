import Contracts
import Messages
import RPC
import ServiceRuntime

/// Push devices that there are none of.
struct IdlePushDevices: PushDevicesAPI {
    func register(
        _ request: NotificationV1.RegisterDeviceRequest, _ context: CallContext
    ) async throws -> NotificationV1.RegisterDeviceResponse { throw ServiceError(.unknownMethod) }

    func update(
        _ request: NotificationV1.UpdateDeviceRequest, _ context: CallContext
    ) async throws -> NotificationV1.UpdateDeviceResponse { throw ServiceError(.unknownMethod) }

    func unregister(
        _ request: NotificationV1.UnregisterDeviceRequest, _ context: CallContext
    ) async throws -> NotificationV1.UnregisterDeviceResponse {
        throw ServiceError(.unknownMethod)
    }

    func revokeAll(
        _ request: NotificationV1.RevokeDevicesRequest, _ context: CallContext
    ) async throws -> NotificationV1.RevokeDevicesResponse { .init() }

    func list(
        _ request: NotificationV1.ListDevicesRequest, _ context: CallContext
    ) async throws -> NotificationV1.ListDevicesResponse { throw ServiceError(.unknownMethod) }
}
