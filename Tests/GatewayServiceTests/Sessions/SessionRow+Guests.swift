import Contracts
import Messages
import RPC
import TestSupport

@testable import GatewayService

// Guests' documents.

extension SessionRow {
    static let guestData: [SessionRow] = [
        .init("Guests/CompareGuest") {
            try await $0.guests.compareGuest(.init(choiceToken: "x"), $2)
        },
        .init("Guests/ChooseGuestData") {
            try await $0.guests.chooseGuestData(.init(choiceToken: "x", choice: .keep), $2)
        },
        .init("Guests/UploadGuestBundle") { try await $0.upload([.goals], in: $2) },
        .init("Guests/GetMigration") { try await $0.guests.getMigration(.init(), $2) },
        .init("Guests/WatchMigration") {
            let states = $0.guests.watchMigration(.init(), $2).makeAsyncIterator()
            return try await states.next() as Any
        },
        .init("Guests/RetryMigration") {
            try await $0.guests.retryMigration(.init(migrationId: "x"), $2)
        },
    ]
}
