import ArgumentParser
import Contracts
import Messages
import RPC
import ServiceRuntime

extension MailCommand {
    /// `postern mail address EMAIL`.
    struct Address: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows whether an address is on the suppression list, and why.")

        @Argument(help: "The address.")
        var email: String

        @Option(help: "The file that `postern up` writes.")
        var endpoints = Endpoints.defaultPath

        func run() async throws {
            let request = NotificationV1.ShowAddressRequest(email: email)
            let answer = try await AddressCaller(endpoints).ask {
                try await $0.showAddress(request, $1)
            }
            let since = Timestamp(milliseconds: answer.stoppedAtMs).text
            let until = Timestamp(milliseconds: answer.untilMs).text
            Screen.line(
                answer.isStopped
                    ? "suppressed since \(since), until \(until): \(answer.reason)"
                    : "not suppressed")
        }
    }

    /// `postern mail release EMAIL`.
    struct Release: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes an address from the suppression list.",
            discussion: """
                Messages that were not sent meanwhile stay unsent; `postern outbox retry` sends \
                one.
                """)

        @Argument(help: "The address.")
        var email: String

        @Option(help: "The file that `postern up` writes.")
        var endpoints = Endpoints.defaultPath

        func run() async throws {
            let request = NotificationV1.ReleaseAddressRequest(email: email)
            let answer = try await AddressCaller(endpoints).ask {
                try await $0.releaseAddress(request, $1)
            }
            Screen.line(answer.wasStopped ? "released" : "was not suppressed")
        }
    }
}

/// Calls the notification service about addresses.
private struct AddressCaller {
    private let caller: OperatorCaller

    init(_ path: String) throws { caller = try OperatorCaller(path, service: "notification") }

    func ask<Answer>(
        _ ask: (AddressesClient, CallContext) async throws -> Answer
    ) async throws -> Answer {
        try await OperatorCaller.telling {
            try await ask(AddressesClient(caller.client), caller.context)
        }
    }
}
