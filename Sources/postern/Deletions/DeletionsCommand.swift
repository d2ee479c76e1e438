import ArgumentParser
import Contracts
import Messages
import ServiceRuntime

/// `postern deletions`: deletions of accounts that wait or are under way (G-20).
struct DeletionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deletions",
        abstract: "Lists deletions of accounts that wait or are under way.",
        discussion: """
            The oldest come first. A deletion takes a second; one whose step fails is tried again, \
            with growing pauses. It is overdue if it has not ended when identity's deletion-overdue \
            (30 days) is over since it began: look at its step in identity's log. The data of an \
            overdue account is not all gone.

              step     what is done next: tombstone, release, sessions, push-devices, backend, content,
                       other-services, rows, notice, grants, end
              source   owner, operator, parent, guest-kept, guest-data or tombstone

            postern accounts delete deletes an account.
            """)

    @Flag(help: "Only overdue ones.") var overdue = false
    @OptionGroup var services: EndpointsOption
    @OptionGroup var output: OutputOption

    func run() async throws {
        try await services.call("identity") { identity in
            let accounts = AdminClient(identity.client)
            var (request, writer) = (GatewayV1.ListDeletionsRequest(), output.writer)
            repeat {
                let page = try await accounts.listDeletions(request, identity.context)
                let rows = page.deletions.filter { !overdue || $0.overdue }
                try writer.write(rows.map(\.row))
                request.pageToken = page.nextPageToken
            } while !request.pageToken.isEmpty
            try writer.finish(ifEmpty: overdue ? "no overdue deletions" : "no deletions")
        }
    }
}
