import ArgumentParser
import Messages
import Testing

@testable import postern

@Suite("N-02, N-04: postern push")
struct PushCommandTests {
    @Test("the options become a message; a value may have the sign that ends its name")
    func message() throws {
        let command = try PushCommand.Send.parse([
            "acc_1", "--title", "Hello", "--body", "A first message.", "--data", "screen=inbox",
            "--data", "query=a=b", "--data", "empty=", "--collapse-key", "k",
        ])
        #expect(
            command.request(to: "acc_1")
                == .init(
                    accountId: "acc_1", title: "Hello", body: "A first message.",
                    data: [
                        .init(name: "screen", value: "inbox"), .init(name: "query", value: "a=b"),
                        .init(name: "empty", value: ""),
                    ], collapseKey: "k"))
    }

    @Test("a message without a title and data without a name are errors")
    func invalid() {
        for arguments in [
            ["acc_1"], ["--title", "t"], ["acc_1", "--title", "t", "--data", "screen"],
        ] {
            #expect(throws: (any Error).self, "\(arguments)") {
                try PushCommand.Send.parse(arguments)
            }
        }
    }

    @Test("a device is a line with its platform and the time when it was seen")
    func line() {
        let device = GatewayV1.PushRegistration(
            pushDeviceId: "dev_1", platform: .apnsSandbox, app: "com.example.app",
            seenAtMs: 1_769_850_300_000)
        #expect(
            device.row.line
                == "dev_1  apns-sandbox  com.example.app  seen at 2026-01-31T09:05:00.000Z")
    }
}
