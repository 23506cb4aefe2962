internal import CArchive

/// The version of the linked libarchive, and of the libraries that it reads with: `libarchive 3.6.2 zlib/1.2.13`.
package var archiveVersionText: String { String(cString: archive_version_details()) }
