import Contracts
import Cryptography
import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.gateway.v1.Profile`: display names and photos (G-17).
struct ProfileHandler: ProfileService, AccountCallsHandler, AccountWriting {
    let settings: PersonalDataSettings
    let store: Store
    let writer: AccountWriter
    let answers: AccountAnswers
    /// The document that may have the display name too.
    let documents: DocumentsHandler
    /// For the times of the last use.
    let activity: AccountActivityReader
    let blobs: any BlobStore
    let uploads: PhotoUploads

    var calls: AccountCalls { documents.calls }

    /// Removes the file of a photo that is no more. If that fails, the sweep does it later.
    func remove(_ blob: BlobName?) async {
        if let blob { try? await blobs.remove([blob]) }
    }
}

extension ProfileHandler {
    /// How long a profile waits for the times of the account's last use. A screen shows it without
    /// them.
    private static let activityWait: Duration = .milliseconds(500)

    /// Returns the account with its photo (G-17), and with the times of its last use (I-11), which
    /// are asked of session for this call alone.
    func getProfile(
        _ request: GatewayV1.GetProfileRequest, _ call: AccountCall
    ) async throws -> GatewayV1.GetProfileResponse {
        var profile = try await profile(of: call)
        let used = try await activity.activity(
            of: call.account, within: Self.activityWait, call.context)
        if case .lastActivityAtMs(let moment) = used?.lastActivity {
            profile.account?.lastActivity = .lastActivityAtMs(moment)
        }
        if case .lastSeenAtMs(let moment) = used?.lastSeen {
            profile.account?.lastSeen = .lastSeenAtMs(moment)
        }
        return profile
    }

    private func profile(of call: AccountCall) async throws -> GatewayV1.GetProfileResponse {
        let now = documents.time.now()
        return try await store.read { session in
            let row = try session.callersRow(call.account)
            let vault = try reader.vault(row)
            let pending = try PendingEmail(of: call.account, at: now, in: session)
            let answer = try answers.answer(
                row, answers.facts(row, in: session), lastSignInAt: row.lastSignInAt,
                pendingEmail: pending.text(of: row, reader))
            return GatewayV1.GetProfileResponse(
                account: answer.account,
                photo: try session.photo(of: call.account)
                    .map { try $0.message(vault, answers.photos) })
        }
    }

    /// Sends a photo to those whom the setting `photos` allows it (G-17). One answer for all others
    /// and for names that do not exist.
    func downloadPhoto(
        _ request: GatewayV1.DownloadPhotoRequest,
        _ items: OutgoingItems<GatewayV1.DownloadPhotoItem>, _ context: CallContext
    ) async throws {
        let caller = try await calls.optionalOwner(in: context)?.account
        let nameKey = keys.photos.lookUpKey(Array(request.name.utf8))
        let found = try await store.read { session in
            try session.photo(nameKey: nameKey).flatMap { photo in
                try session.account(photo.account).map { (photo, account: $0) }
            }
        }
        guard let (photo, account) = found, account.status.isUsable,
            settings.photos == .public || caller == account.account
        else { throw Self.notFound }
        let vault = try reader.vault(account)
        for index in 0..<photo.parts {
            guard let part = try await photo.part(index, in: blobs, vault) else {
                throw Self.notFound
            }
            if index == 0 {
                try await items.write(.init(part: .photo(photo.message(vault, answers.photos))))
            }
            try await items.write(.init(part: .data(part)))
        }
    }

    private static var notFound: ServiceError { ServiceError(.notFound, fields: ["name"]) }

    /// Removes the photo, also a provider's picture. Later sign-ins do not bring that back (G-17).
    func removePhoto(
        _ request: GatewayV1.RemovePhotoRequest, _ call: AccountCall
    ) async throws -> GatewayV1.RemovePhotoResponse {
        let (row, former) = try await store.write(about: [.account(call.account)]) {
            transaction in
            let row = try transaction.changeableRow(call.account)
            let hasPhoto = row.photo != nil || row.sealedPhotoURL != nil
            // Without a photo it still records that a provider's must not come back.
            guard hasPhoto || !row.isPhotoEdited else { return (row, BlobName?.none) }
            try transaction.requireRoom(
                for: NewcomerBytes.callBytes, of: row.newcomer(at: transaction.at),
                from: call.origin,
                within: documents.newcomers)
            let former = try transaction.removePhoto(of: row.account)
            if hasPhoto { try transaction.audit(.photoRemoved, row.account, from: call.origin) }
            return (try transaction.callersRow(row.account), former)
        }
        await remove(former)
        return GatewayV1.RemovePhotoResponse(account: try await answers.account(row))
    }
}

/// Who may download a photo.
package enum PhotoAccess: String, CaseIterable, Sendable {
    /// Anyone who knows its name.
    case `public`
    /// The account's owner, with an access token.
    case owner
}
