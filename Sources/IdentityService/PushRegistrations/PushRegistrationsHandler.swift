import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.gateway.v1.PushRegistrations`: the devices that receive the push messages of the account
/// that calls (N-04). Notification keeps them; here it is decided whose they are and of which
/// session.
///
/// Attack: somebody has taken the gateway over, and has everybody's notices pushed to a device of
/// their own. So the gateway does not call notification: identity asks session whose access token it
/// is, and account and session are read from nothing else.
///
///     a session                            may
///     registers a token                    for itself, at most 4 of its own at a time
///     replaces a token, removes a device   of its own devices
///     lists                                the devices of its account
///
/// Attack: a thief's session turns off the notices of the owner's device without a word, or gives it
/// the thief's token, which would stay when the thief's session is ended. So another session's
/// device goes only with that session, whose end its owner sees.
struct PushRegistrationsHandler: PushRegistrationsService, OwnerCallsHandler,
    AccountWriting
{
    let store: Store
    let writer: AccountWriter
    let time: any Time
    let owners: SessionOwners
    let calls: AccountCalls
    /// The notification service.
    let pushDevices: any PushDevicesAPI

    static func device(_ text: String) throws(ServiceError) -> PushDeviceID {
        guard let device = PushDeviceID(text: text) else {
            throw ServiceError(.invalidArgument, fields: ["push_device_id"])
        }
        return device
    }
}

extension PushRegistrationsHandler {
    /// Replaces the token of a device of the caller's session. If the session ends meanwhile, the
    /// device has it already, and goes with it.
    func replacePushToken(
        _ request: GatewayV1.ReplacePushTokenRequest, _ call: OwnerCall
    ) async throws -> GatewayV1.ReplacePushTokenResponse {
        let device = try Self.device(request.pushDeviceId)
        try await store.read { try $0.requireLive(call.owner) }
        do {
            let answer = try await pushDevices.update(
                NotificationV1.UpdateDeviceRequest(
                    accountId: call.owner.account.text, deviceId: device.text,
                    token: request.token, sessionId: call.owner.session),
                call.frame.context.onward())
            return GatewayV1.ReplacePushTokenResponse(pushDevice: answer.device)
        } catch let error as ServiceError where error.code == .notFound {
            throw ServiceError(.notFound, fields: ["push_device_id"])
        }
    }

    /// Removes a device of the caller's session.
    func removePushDevice(
        _ request: GatewayV1.RemovePushDeviceRequest, _ call: OwnerCall
    ) async throws -> GatewayV1.RemovePushDeviceResponse {
        let device = try Self.device(request.pushDeviceId)
        let answer = try await pushDevices.unregister(
            NotificationV1.UnregisterDeviceRequest(
                accountId: call.owner.account.text, deviceId: device.text,
                sessionId: call.owner.session),
            call.frame.context.onward())
        return GatewayV1.RemovePushDeviceResponse(removed: answer.dropped > 0)
    }

    /// Lists the devices of the caller's account.
    func listPushDevices(
        _ request: GatewayV1.ListPushDevicesRequest, _ call: OwnerCall
    ) async throws -> GatewayV1.ListPushDevicesResponse {
        let answer = try await pushDevices.list(
            NotificationV1.ListDevicesRequest(
                accountId: call.owner.account.text, sessionId: call.owner.session),
            call.frame.context.onward())
        return GatewayV1.ListPushDevicesResponse(pushDevices: answer.devices)
    }
}
