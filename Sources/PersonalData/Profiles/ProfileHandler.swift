import Contracts
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
    let blobs: any BlobStore
    let uploads: PhotoUploads
    /// Shared with the sweep.
    let uncommitted: UncommittedBlobs

    var calls: AccountCalls { documents.calls }

    /// Removes the file of a photo that is no more. If that fails, the sweep does it later.
    func remove(_ blob: BlobName?) async {
        if let blob { try? await blobs.remove([blob]) }
    }
}

/// Who may download a photo.
package enum PhotoAccess: String, CaseIterable, Sendable {
    /// Anyone who knows its name.
    case `public`
    /// The account's owner, with an access token.
    case owner
}
