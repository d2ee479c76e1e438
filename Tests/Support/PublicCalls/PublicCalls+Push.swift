import Contracts
import Messages
import RPC

extension PublicCalls {
    static let push: [PublicCall] = [
        .init(PushRegistrationsDescription.registerPushDevice, .owner) {
            GatewayV1.RegisterPushDeviceRequest(
                platform: .fcm, token: Bound.pushToken($0.name, $1), app: Bound.app)
        },
        .init(PushRegistrationsDescription.registerPushDevice, .guest, "guest") {
            GatewayV1.RegisterPushDeviceRequest(
                platform: .fcm, token: Bound.pushToken("guest-\($0.name)", $1), app: Bound.app)
        },
        .init(PushRegistrationsDescription.replacePushToken, .owner) { caller, number in
            GatewayV1.ReplacePushTokenRequest(
                pushDeviceId: try await caller.pushDevice(),
                token: Bound.pushToken("new-\(caller.name)", number))
        },
        .init(PushRegistrationsDescription.removePushDevice, .owner) { caller, _ in
            GatewayV1.RemovePushDeviceRequest(pushDeviceId: try await caller.pushDevice())
        },
        .init(PushRegistrationsDescription.listPushDevices, .owner) { caller, _ in
            _ = try await caller.pushDevice()
            return GatewayV1.ListPushDevicesRequest()
        },
    ]
}
