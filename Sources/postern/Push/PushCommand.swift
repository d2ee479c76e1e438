import ArgumentParser
import Contracts
import Cryptography
import JSON
import Messages
import RPC
import ServiceRuntime

/// `postern push`: push messages to the devices of an account, and the devices (N-02, N-04).
struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Sends a push message to an account's devices, and lists them.",
        discussion: """
            An account is named by its id, its email or its phone number with the +.

              postern push list ada@example.org
              postern push send ada@example.org --title 'Hello' --body 'A first message.'

            Without a provider (push-fcm-account, push-apns-key of postern-notification) messages \
            go to the inbox: `postern inbox`. `postern outbox --channel push` shows what became of \
            them. The limit push-by-account is for backends and does not count these.
            """,
        subcommands: [Send.self, List.self])

    /// `postern push send ACCOUNT --title …`.
    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sends a push message to each device of an account.")

        @Argument(help: "The account: its id, email, or phone number with its +.")
        var account: String
        @Option(help: "The title: 1 to 120 bytes.")
        var title: String
        @Option(help: "The text: 1,024 bytes at most.")
        var body = ""
        @Option(help: "Data for the app, NAME=VALUE; may be repeated: 16 entries, 1 KiB in all.")
        var data: [String] = []
        @Option(help: "A later message with the same key replaces this one on the screen.")
        var collapseKey = ""
        @OptionGroup var services: EndpointsOption

        func validate() throws {
            guard data.allSatisfy({ $0.contains("=") }) else {
                throw ValidationError("--data is NAME=VALUE, for example --data screen=inbox")
            }
        }

        func run() async throws {
            let request = request(to: try await services.accountID(of: account))
            let answer = try await services.push { caller in
                try await PushMessagesClient(caller.client).sendPush(request, caller.keyed)
            }
            if answer.messageIds.isEmpty { Screen.error("the account has no device") }
            answer.messageIds.forEach(Screen.line)
        }

        /// The request to notification.
        func request(to account: String) -> NotificationV1.SendPushRequest {
            NotificationV1.SendPushRequest(
                accountId: account, title: title, body: body,
                data: data.map { entry in
                    let name = entry.prefix { $0 != "=" }
                    return NotificationV1.Variable(
                        name: String(name), value: String(entry.dropFirst(name.count + 1)))
                }, collapseKey: collapseKey)
        }
    }

    /// `postern push list ACCOUNT`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the devices of an account, the one seen last first.",
            discussion: "Their tokens are never shown.")

        @Argument(help: "The account: its id, email, or phone number with its +.")
        var account: String
        @OptionGroup var services: EndpointsOption
        @OptionGroup var output: OutputOption

        func run() async throws {
            let request = NotificationV1.ListDevicesRequest(
                accountId: try await services.accountID(of: account))
            let answer = try await services.push {
                try await PushDevicesClient($0.client).list(request, $0.context)
            }
            try output.show(answer.devices.map(\.row))
        }
    }
}

extension EndpointsOption {
    /// What to do about a rejected field.
    private static let pushHints = [
        "account_id": "an account's id begins with acc_; `postern accounts list` shows ids",
        "title": "a title has 1 to 120 bytes and no control characters",
        "body": "a text has 1,024 bytes at most and no control characters",
        "data": """
        at most 16 entries, 1 KiB in all; names are printable ASCII, and aps, from, notification, \
        message_type, postern_message, google.… and gcm… are reserved
        """,
        "collapse_key": "printable ASCII without quotes and backslashes, 64 bytes at most",
    ]

    /// Calls the notification service about push messages; prints its errors.
    fileprivate func push<Answer>(
        _ question: (Caller) async throws -> Answer
    ) async throws -> Answer {
        try await call("notification", hints: Self.pushHints, question)
    }

    /// The id of the account that the operator names; identity knows emails and numbers.
    fileprivate func accountID(of account: String) async throws -> String {
        if account.hasPrefix("acc_") { return account }
        return try await call(
            "identity", hints: AccountsCommand.Options.hints,
            notFound: AccountsCommand.notFound(account)
        ) { try await $0.accountID(of: account, actor: "") }
    }
}

// MARK: Lines

extension GatewayV1.PushPlatform: NamedValue {
    static var words: KeyValuePairs<Self, String> {
        [.fcm: "fcm", .apns: "apns", .apnsSandbox: "apns-sandbox"]
    }
}

extension GatewayV1.PushRegistration {
    /// As a line: `dev_…  apns  com.example.app  seen at 2026-01-31T09:05:00.000Z`
    var row: Row {
        let seenAt = Timestamp(milliseconds: seenAtMs).text
        return Row([
            .init("device_id", pushDeviceId, heading: "device"),
            .init("platform", .string(platform.word), text: platform.word),
            .init("app", app),
            .init("seen_at", .moment(seenAtMs), text: seenAt, phrase: "seen at \(seenAt)"),
        ])
    }
}
