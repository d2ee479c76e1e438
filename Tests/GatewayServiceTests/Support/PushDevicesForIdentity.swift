import Contracts
import Messages
import RPC
import Synchronization

@testable import NotificationService

/// The notification service's devices as identity calls them. A test can act before the next
/// registration is stored and before it is answered, and by an error lose the answer.
final class PushDevicesForIdentity: PushDevicesAPI {
    /// What a test does in a registration.
    typealias Step = @Sendable () async throws -> Void

    private let pushDevices: PushDevicesHandler
    private let steps = Mutex<(before: Step?, after: Step?)>((before: nil, after: nil))

    init(_ pushDevices: PushDevicesHandler) { self.pushDevices = pushDevices }

    /// Runs steps once, around the next registration.
    func aroundNext(before: Step? = nil, after: Step? = nil) {
        steps.withLock { $0 = (before: before, after: after) }
    }

    func register(
        _ request: NotificationV1.RegisterDeviceRequest, _ context: CallContext
    ) async throws -> NotificationV1.RegisterDeviceResponse {
        let (before, after) = steps.withLock { steps in
            defer { steps = (before: nil, after: nil) }
            return steps
        }
        try await before?()
        let answer = try await pushDevices.register(request, context)
        try await after?()
        return answer
    }

    func update(
        _ request: NotificationV1.UpdateDeviceRequest, _ context: CallContext
    ) async throws -> NotificationV1.UpdateDeviceResponse {
        try await pushDevices.update(request, context)
    }

    func unregister(
        _ request: NotificationV1.UnregisterDeviceRequest, _ context: CallContext
    ) async throws -> NotificationV1.UnregisterDeviceResponse {
        try await pushDevices.unregister(request, context)
    }

    func revokeAll(
        _ request: NotificationV1.RevokeDevicesRequest, _ context: CallContext
    ) async throws -> NotificationV1.RevokeDevicesResponse {
        try await pushDevices.revokeAll(request, context)
    }

    func list(
        _ request: NotificationV1.ListDevicesRequest, _ context: CallContext
    ) async throws -> NotificationV1.ListDevicesResponse {
        try await pushDevices.list(request, context)
    }
}
