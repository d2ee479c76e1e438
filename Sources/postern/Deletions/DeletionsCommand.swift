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
            with growing pauses. It is overdue if it has not ended 30 days after it began: look \
            at its step in identity's log. The data of an overdue account is not all gone.

              step     what is done next: sessions, push-devices, backend, documents, services, …
              source   owner, operator, parent, guest-kept, guest-data or tombstone

            postern accounts delete deletes an account.
            """)

    @Option(
        help: "Days after which a deletion is marked as overdue, as identity's deletion-overdue.")
    var overdueDays = 30

    @Flag(help: "Only overdue ones.") var overdue = false
    @OptionGroup var services: EndpointsOption
    @OptionGroup var output: OutputOption

    func validate() throws {
        guard (1...3_650).contains(overdueDays) else {
            throw ValidationError("--overdue-days is 1 to 3650")
        }
    }

    func run() async throws {
        let latest = SystemTime().now() - .seconds(overdueDays * 24 * 3_600)
        try await services.call("identity") { identity in
            let accounts = AccountAdminClient(identity.client)
            var (request, writer) = (IdentityV1.ListDeletionsRequest(), output.writer)
            repeat {
                let page = try await accounts.listDeletions(request, identity.context)
                let rows = page.deletions.filter { !overdue || $0.isOverdue(since: latest) }
                try writer.write(rows.map { $0.row(overdueSince: latest) })
                request.pageToken = page.nextPageToken
            } while !request.pageToken.isEmpty
            try writer.finish()
        }
    }
}
