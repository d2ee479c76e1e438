import Messages

/// A frame of each kind, and some edge cases.
enum SampleFrames {
    static let all: [WireV1.Frame.Kind] = [
        .hello(hello),
        .request(
            WireV1.Request(
                call: 1, method: "postern.session.v1.Sessions/ValidateAccessToken",
                timeoutMs: 9_995,
                metadata: [
                    WireV1.Metadata(key: "traceparent", value: Array("00-aa-bb-01".utf8)),
                    WireV1.Metadata(key: "client-address", value: Array("192.0.2.7".utf8)),
                ], payload: [10, 3, 97, 98, 99])),
        .request(
            WireV1.Request(call: .max, method: "é/ü", timeoutMs: .max, more: true, payload: [0])),
        .request(WireV1.Request()),
        .response(WireV1.Response(call: 1, payload: [8, 1, 18, 2, 104, 105])),
        .response(
            WireV1.Response(
                call: 300, status: 8, notProcessed: true, message: "rpc/resource-exhausted",
                error: WireV1.Error(
                    code: "rpc/resource-exhausted", userMessage: "We are busy.", retryable: true,
                    retryAfterMs: 1_500, action: "wait",
                    violations: [
                        .init(field: "email"),
                        .init(field: "password", rule: "digit", sentence: "It needs a digit."),
                    ], acceptableProofs: ["password", "device_key"], alternatives: ["google"],
                    unavailablePart: "store",
                    secondProof: .init(
                        challenge: "c1", kinds: ["device_key"], expiresAtMs: 1_795_248_340_254)))),
        .item(WireV1.Item(call: 2, end: true, payload: [1, 2, 3])),
        .cancel(WireV1.Cancel(call: 2)), .credit(WireV1.Credit(call: 2, items: 16)),
        .ping(WireV1.Ping(token: 7)), .pong(WireV1.Pong(token: 7)),
        .goAway(
            WireV1.GoAway(lastCall: 9, reason: .slow, retryAfterMs: 100, message: "too slow")),
    ]

    static let hello = WireV1.Hello(
        version: 1, frameBytesMax: 131_072, callsMax: 1_024, keepaliveFloorMs: 10_000,
        challenge: Array(0..<32), agent: "postern/1", service: "postern.session",
        application: "gateway", keyId: "k1", proof: Array(32..<64))
}
