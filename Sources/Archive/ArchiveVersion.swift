internal import CArchive

/// The version of the linked libarchive, and of the libraries that it reads with: `libarchive 3.6.2 zlib/1.2.13`.
///
/// Asked for once: libarchive makes the text anew each time, and never frees the one before.
package let archiveVersionText = String(cString: archive_version_details())
