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

        @OptionGroup var services: EndpointsOption

        func run() async throws {
            let request = NotificationV1.ShowAddressRequest(email: email)
            let answer = try await services.ask("notification") { caller in
                try await AddressesClient(caller.client).showAddress(request, caller.context)
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

        @OptionGroup var services: EndpointsOption

        func run() async throws {
            let request = NotificationV1.ReleaseAddressRequest(email: email)
            let answer = try await services.ask("notification") { caller in
                try await AddressesClient(caller.client).releaseAddress(request, caller.context)
            }
            Screen.line(answer.wasStopped ? "released" : "was not suppressed")
        }
    }
}
