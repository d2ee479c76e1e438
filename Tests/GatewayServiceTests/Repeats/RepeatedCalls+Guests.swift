import Contracts
import Messages
import RPC

@testable import GatewayService

// Guests' documents.

extension RepeatedCalls {
    static let guestData: [RepeatedCall] = [
        .inSession(
            "Guests/UploadGuestBundle",
            { fixture, documents, context in
                let items = try await fixture.guests.upload(documents, in: context)
                // The state goes on; which migration it is does not change.
                return GatewayV1.Migration(migrationId: items.last?.migration?.migrationId ?? "")
            }, afterwards: .acts, renew: { try await $0.refresh(&$1.accessToken) }
        ) {
            try await $0.two { .init($0.accessToken, [GatewayV1.BundledDocument.goals]) }
        }
    ]
}
